// The reverse proxies of deploy/, configured by their examples, on ports of this machine.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { freePort } from './process.ts'

const root = resolve(import.meta.dirname, '..', '..')

/** A reverse proxy with an example in deploy/. */
export type ProxyName = 'haproxy' | 'nginx' | 'caddy'
export const proxyNames: readonly ProxyName[] = ['haproxy', 'nginx', 'caddy']

/** The example of a proxy. */
const proxyFiles: Readonly<Record<ProxyName, string>> = {
  haproxy: 'deploy/haproxy/haproxy.cfg',
  nginx: 'deploy/nginx/payin.conf',
  caddy: 'deploy/caddy/Caddyfile',
}

/** Why a proxy cannot be started here; undefined if it can. */
export const withoutProxy = (name: ProxyName): string | undefined => {
  const flag = name === 'caddy' ? 'version' : '-v'
  const needed: readonly (readonly [string, string])[] = [
    [name, flag],
    ['openssl', 'version'],
  ]
  const missing = needed.filter(([program, word]) => spawnSync(program, [word]).status !== 0)
  return missing.length === 0 ? undefined : `${missing.map(([program]) => program).join(' and ')} not installed`
}

/** The port of a proxy, its nodes and its folder. */
type Place = {
  readonly folder: string
  readonly port: number
  /** `host:port` of each node. */
  readonly nodes: readonly string[]
}

/** Replaces every occurrence; fails if there is none. */
const change = (text: string, from: string | RegExp, to: string): string => {
  const changed = text.replaceAll(typeof from === 'string' ? from : new RegExp(from, 'gm'), () => to)
  if (changed === text) throw new Error(`the example has no ${String(from)}`)
  return changed
}

/** Adapts an example to this machine. */
const adapt: Readonly<Record<ProxyName, (text: string, place: Place) => string>> = {
  haproxy: (text, { folder, port, nodes }) => {
    const own = change(text, /^ {4}(?:chroot|user|group|maxconn|bind :80).*\n/, '')
    const secured = change(
      own,
      'bind :443 ssl crt /etc/haproxy/certs/',
      `bind 127.0.0.1:${port} ssl crt ${folder}/both.pem`,
    )
    const logged = change(secured, '/dev/log local0', 'stdout format raw local0')
    const administered = change(logged, '/run/haproxy', folder)
    return administered.replaceAll(/^ {4}(server node(\d)\S*) 10\.0\.0\.\d:8080(.*)\n/gm, (_, server, number, rest) => {
      const node = nodes[Number(number) - 1]
      return node === undefined ? '' : `    ${server} ${node}${rest}\n`
    })
  },
  nginx: (text, { folder, port, nodes }) => {
    const servers = nodes.map((node) => `server ${node} max_fails=1 fail_timeout=2s;`).join('\n')
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    )
    const user = process.getuid?.() === 0 ? 'user root;' : ''
    const changes: readonly (readonly [string | RegExp, string])[] = [
      [/^server \{\n {4}listen 80;[^]*?^\}\n/, ''],
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      ['/etc/nginx/certs/payin.pem', `${folder}/certificate.pem`],
      ['/etc/nginx/certs/payin.key', `${folder}/key.pem`],
      ['/var/log/nginx', folder],
      [/server 127\.0\.0\.1:8080.*;/, servers],
    ]
    const own = changes.reduce((changed, [from, to]) => change(changed, from, to), text)
    const head = `daemon off;\n${user}\npid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\n`
    return `${head}http {\n${paths.join('\n')}\n${own}}\n`
  },
  caddy: (text, { folder, port, nodes }) => {
    const certificate = `tls ${folder}/certificate.pem ${folder}/key.pem`
    const changes: readonly (readonly [string | RegExp, string])[] = [
      [/^\{$/, '{\n\tadmin off\n\tauto_https disable_redirects'],
      ['pay.example.com {', `https://127.0.0.1:${port} {\n\t${certificate}`],
      ['/var/log/caddy', folder],
      ['127.0.0.1:8080', nodes.join(' ')],
    ]
    return changes.reduce((changed, [from, to]) => change(changed, from, to), text)
  },
}

const runs: Readonly<Record<ProxyName, (file: string) => readonly string[]>> = {
  haproxy: (file) => ['-db', '-f', file],
  nginx: (file) => ['-c', file],
  caddy: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
}

const checks: Readonly<Record<ProxyName, (file: string) => readonly string[]>> = {
  haproxy: (file) => ['-c', '-f', file],
  nginx: (file) => ['-t', '-c', file],
  caddy: (file) => ['validate', '--config', file, '--adapter', 'caddyfile'],
}

/** Writes a certificate for a proxy; from then on every `fetch` of this process trusts it. */
const certify = (folder: string): void => {
  const names = ['-subj', '/CN=pay.example.com', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:pay.example.com']
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const made = spawnSync('openssl', ['req', '-x509', ...kind, ...names, ...files], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(made.stderr)
  const certificate = readFileSync(join(folder, 'certificate.pem'), 'utf8')
  writeFileSync(join(folder, 'both.pem'), certificate + readFileSync(join(folder, 'key.pem'), 'utf8'))
  setDefaultCACertificates([...getCACertificates('default'), certificate])
}

const prepare = (name: ProxyName, port: number, nodes: readonly string[], edit: (text: string) => string) => {
  const folder = mkdtempSync(join(tmpdir(), `payin-${name}-`))
  mkdirSync(join(folder, 'home'))
  certify(folder)
  const file = join(folder, 'configuration')
  writeFileSync(file, edit(adapt[name](readFileSync(join(root, proxyFiles[name]), 'utf8'), { folder, port, nodes })))
  const home = join(folder, 'home')
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
  return { folder, file, env }
}

/** The proxy's own errors about its example; empty if it accepts it. */
export const checkProxy = (name: ProxyName): string => {
  const { folder, file, env } = prepare(name, 1, ['127.0.0.1:2'], (text) => text)
  const checked = spawnSync(name, checks[name](file), { env, encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  return checked.status === 0 ? '' : checked.stderr + checked.stdout
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(socket.destroy() !== undefined))
    socket.on('error', () => done(false))
  })

export type StartedProxy = {
  readonly name: ProxyName
  /** `https://…` */
  readonly url: string
  readonly folder: string
  stop(): Promise<void>
}

/** Starts a proxy in front of these nodes (`host:port`), with its example changed by `edit`. */
export const startProxy = async (
  name: ProxyName,
  nodes: readonly string[],
  edit: (text: string) => string = (text) => text,
): Promise<StartedProxy> => {
  const port = await freePort()
  const { folder, file, env } = prepare(name, port, nodes, edit)
  const child: ChildProcess = spawn(name, runs[name](file), {
    env,
    stdio: ['ignore', openSync(join(folder, 'output.log'), 'a'), 'pipe'],
  })
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const stop = async (): Promise<void> => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    // nginx ends its workers only on SIGTERM.
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  for (let waited = 0; !(await isOpen(port)); waited += 20) {
    if (child.exitCode !== null || waited > 10_000) {
      await stop()
      throw new Error(`${name} did not start:\n${errors}`)
    }
    await sleep(20)
  }
  return { name, url: `https://127.0.0.1:${port}`, folder, stop }
}
