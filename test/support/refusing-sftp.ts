// An SFTP server that lists files and refuses to open some of them. Debian's server runs as root, which may read them all.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import ssh2, { type SFTPWrapper } from 'ssh2'

const { STATUS_CODE: status } = ssh2.utils.sftp

const serve = (sftp: SFTPWrapper, files: ReadonlyMap<string, Buffer | 'refused'>): void => {
  const opened: Buffer[] = []
  let isListed = false
  const attrs = (size: number) => ({ size, mode: 0o100644, mtime: 1, atime: 1, uid: 0, gid: 0 })
  const contentOf = (handle: Buffer): Buffer => opened[handle[0] ?? 0] ?? Buffer.alloc(0)
  sftp.on('OPENDIR', (id) => {
    isListed = false
    sftp.handle(id, Buffer.from('folder'))
  })
  sftp.on('READDIR', (id) => {
    if (isListed) return sftp.status(id, status.EOF)
    isListed = true
    return sftp.name(
      id,
      [...files].map(([filename, content]) => ({ filename, longname: filename, attrs: attrs(content.length) })),
    )
  })
  sftp.on('OPEN', (id, path) => {
    const content = files.get(path.split('/').at(-1) ?? '')
    if (!Buffer.isBuffer(content)) return sftp.status(id, status.PERMISSION_DENIED)
    opened.push(content)
    return sftp.handle(id, Buffer.from([opened.length - 1]))
  })
  sftp.on('FSTAT', (id, handle) => sftp.attrs(id, attrs(contentOf(handle).length)))
  sftp.on('READ', (id, handle, offset, length) => {
    const content = contentOf(handle)
    return offset >= content.length
      ? sftp.status(id, status.EOF)
      : sftp.data(id, content.subarray(offset, offset + length))
  })
  sftp.on('CLOSE', (id) => sftp.status(id, status.OK))
}

/** Starts it for anybody who signs in; `hostKey` is how a pickup names its key. */
export const startRefusingSftp = async (files: ReadonlyMap<string, Buffer | 'refused'>) => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  const parsed = ssh2.utils.parseKey(privateKey)
  if (parsed instanceof Error) throw parsed
  const hash = createHash('sha256').update(parsed.getPublicSSH()).digest('base64').replace(/=+$/, '')
  const server = new ssh2.Server({ hostKeys: [privateKey] }, (client) => {
    client
      .on('error', () => undefined)
      .on('authentication', (context) => context.accept())
      .on('session', (accept) => accept().on('sftp', (acceptSftp) => serve(acceptSftp(), files)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { address: `sftp://payin@127.0.0.1:${port}/out`, hostKey: `SHA256:${hash}`, stop: () => server.close() }
}
