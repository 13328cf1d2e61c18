// Real servers on the loopback address from which files are picked up: dovecot, and sshd.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from './process.ts'
import { until } from './waiting.ts'

const missing = (program: string, debianPackage: string): string | undefined => {
  try {
    accessSync(program, constants.X_OK)
    return process.getuid?.() === 0 ? undefined : `${program} is started by root only`
  } catch {
    return `${program} is not installed (Debian: apt-get install ${debianPackage})`
  }
}

const dovecot = '/usr/sbin/dovecot'
const sshd = '/usr/sbin/sshd'

/** Why dovecot cannot be started here; undefined if it can. */
export const withoutMailboxes = (): string | undefined => missing(dovecot, 'dovecot-imapd')

/** Why sshd cannot be started here; undefined if it can. */
export const withoutSftp = (): string | undefined => missing(sshd, 'openssh-server')

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('close', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

const serve = async (program: string, args: readonly string[], port: number): Promise<ChildProcess> => {
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (said += text))
  await until(`${program} answers`, async () => {
    if (server.exitCode !== null) throw new Error(`${program} ended: ${said}`)
    return accepts(port)
  })
  return server
}

const stopper = (server: ChildProcess, folder: string) => async (): Promise<void> => {
  const ended = server.exitCode === null ? once(server, 'exit') : undefined
  server.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
}

/**
 * A mailbox of a user `reports` with the password `secret`, by IMAP with TLS; with `rights`, the server says that the user has
 * these (RFC 4314).
 */
export const startMailbox = async (rights?: string) => {
  const folder = mkdtempSync('/tmp/payin-imap-')
  const port = await freePort()
  const file = (name: string): string => join(folder, name)
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const key = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    file('key.pem'),
    '-out',
    file('cert.pem'),
    '-days',
    '2',
  ]
  execFileSync('openssl', ['req', '-x509', ...key, ...subject], { stdio: 'ignore' })
  for (const name of ['mail', 'mail/cur', 'mail/new', 'mail/tmp', 'run']) mkdirSync(file(name))
  writeFileSync(file('users'), `reports:{PLAIN}secret:65534:65534::${file('mail')}::\n`)
  writeFileSync(file('acl'), `* owner ${rights}\n`)
  const withRights = `
mail_plugins = acl
protocol imap {
  mail_plugins = acl imap_acl
}
plugin {
  acl = vfile:${file('acl')}
}
`
  writeFileSync(
    file('dovecot.conf'),
    `base_dir = ${file('run')}
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <${file('cert.pem')}
ssl_key = <${file('key.pem')}
log_path = ${file('log')}
mail_location = maildir:${file('mail')}
default_internal_user = dovecot
default_login_user = dovenull
first_valid_uid = 1
service imap-login {
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = ${port}
  }
}
passdb {
  driver = passwd-file
  args = ${file('users')}
}
userdb {
  driver = passwd-file
  args = ${file('users')}
}
${rights === undefined ? '' : withRights}`,
  )
  execFileSync('chown', ['-R', '65534:65534', file('mail')])
  execFileSync('chmod', ['755', folder])
  const server = await serve(dovecot, ['-F', '-c', file('dovecot.conf')], port)
  let mails = 0
  /** Mails, their lines as they are sent; the server sees them once they are whole. */
  const deliverOften = (lines: readonly string[], times: number): void => {
    const names = Array.from({ length: times }, () => `${++mails}.test`)
    for (const name of names) writeFileSync(file(`mail/tmp/${name}`), lines.join('\r\n'), { mode: 0o644 })
    for (const name of names) renameSync(file(`mail/tmp/${name}`), file(`mail/new/${name}`))
  }
  return {
    address: `imaps://reports@localhost:${port}/INBOX`,
    certificate: readFileSync(file('cert.pem'), 'utf8'),
    /** Delivers a mail, its lines as they are sent. */
    deliver: (lines: readonly string[]): void => deliverOften(lines, 1),
    deliverOften,
    stop: stopper(server, folder),
  }
}

/** A folder of an SFTP server, which a user reads with a private key. */
export const startSftp = async () => {
  const folder = mkdtempSync('/tmp/payin-sftp-')
  const port = await freePort()
  const file = (name: string): string => join(folder, name)
  for (const name of ['host', 'user'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file(name)], { stdio: 'ignore' })
  writeFileSync(file('keys'), readFileSync(file('user.pub')))
  mkdirSync(file('out'))
  mkdirSync('/run/sshd', { recursive: true })
  writeFileSync(
    file('sshd_config'),
    `Port ${port}
ListenAddress 127.0.0.1
HostKey ${file('host')}
AuthorizedKeysFile ${file('keys')}
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PidFile none
Subsystem sftp internal-sftp
`,
  )
  const server = await serve(sshd, ['-D', '-e', '-f', file('sshd_config')], port)
  const [, hostKey = ''] = execFileSync('ssh-keygen', ['-l', '-f', file('host.pub')], { encoding: 'utf8' }).split(' ')
  return {
    address: `sftp://${userInfo().username}@127.0.0.1:${port}${file('out')}`,
    hostKey,
    privateKey: readFileSync(file('user'), 'utf8'),
    folder: file('out'),
    stop: stopper(server, folder),
  }
}
