import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import type { FileEntryWithStats, SFTPWrapper } from 'ssh2'
import { type Depot, DepotFault } from '../../rules/statements/pickup.ts'
import { errorOf } from '../guarded-agent.ts'
import { type DepotOptions, mostEntries, type OpenDepot, readWhole, stepMs } from './depot.ts'

const fingerprintOf = (key: Buffer): string =>
  `SHA256:${createHash('sha256')
    .update(key)
    .digest('base64')
    .replace(/={1,2}$/, '')}`

/** Whether the server refuses one file: by the codes of the protocol there is none, or no permission. */
const isRefusal = (error: unknown): boolean => [2, 3].includes((error as { code?: number }).code ?? 0)

const failureOf = (error: unknown): DepotFault => {
  const { level } = error as { level?: string }
  if (level === 'client-authentication') return new DepotFault('the SFTP server does not accept the user or the secret')
  if (isRefusal(error)) return new DepotFault('there is no such folder or file that the user may read')
  return new DepotFault(`the SFTP server does not answer as it should (${errorOf(error)})`)
}

/** A folder of an SFTP server whose key is known. */
export const openSftp = async (
  { host, port, user, path }: Extract<Depot, { host: string }>,
  { pickup, secret, lookup, signal }: DepotOptions,
): Promise<OpenDepot> => {
  const { Client } = (await import('ssh2')).default
  const client = new Client()
  const socket = connect({ host, port, lookup })
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => undefined)
  client.on('error', broken.reject)
  const stop = (): void => {
    broken.reject(new Error('the conversation was cut off'))
    socket.destroy()
  }
  socket.setTimeout(stepMs, stop)
  socket.on('error', broken.reject)
  socket.on('close', stop)
  signal.addEventListener('abort', stop)
  /** The result of a step, unless the connection ends before. */
  const step = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await Promise.race([work, broken.promise])
    } catch (error) {
      // The others may be read nevertheless.
      if (!isRefusal(error)) stop()
      throw error instanceof DepotFault ? error : failureOf(error)
    }
  }
  const hostVerifier = (key: Buffer): boolean => {
    const seen = fingerprintOf(key)
    if (seen !== pickup.hostKey) broken.reject(new DepotFault(`the SFTP server has another key: ${seen}`))
    return seen === pickup.hostKey
  }
  const ready = Promise.withResolvers<void>()
  client.on('ready', ready.resolve)
  const proof = secret.includes('PRIVATE KEY') ? { privateKey: secret } : { password: secret }
  const begin = async (): Promise<SFTPWrapper> => {
    signal.throwIfAborted()
    client.connect({ ...{ sock: socket, username: user, readyTimeout: stepMs, hostVerifier }, ...proof })
    await ready.promise
    return promisify(client.sftp.bind(client))()
  }
  const sftp = await step(begin())
  const folder = path.replace(/\/$/, '')
  const read = (name: string): Promise<Uint8Array> => {
    const stream = sftp.createReadStream(`${folder}/${name}`)
    // It closes the file when it has been read; by then the connection may have ended.
    stream.on('error', () => undefined)
    return step(readWhole(stream))
  }
  return {
    list: async () => {
      const entries: FileEntryWithStats[] = await step(promisify(sftp.readdir.bind(sftp))(path))
      if (entries.length > mostEntries)
        throw new DepotFault(`the folder has more than ${mostEntries} entries: let the bank use another one`)
      const files = entries
        .filter(({ attrs }) => attrs.isFile())
        .map(({ filename: name, attrs: { size, mtime } }) => ({
          ...{ key: `${name}/${size}/${mtime}`, name, bytes: size, mayGrow: true },
          origin: `${host}${folder}/${name}`,
          read: async () => [{ name, bytes: await read(name) }],
        }))
      return { files }
    },
    [Symbol.asyncDispose]: async () => {
      signal.removeEventListener('abort', stop)
      client.end()
      stop()
    },
  }
}
