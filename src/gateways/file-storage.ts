import { accessSync, constants, mkdirSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Misconfigured } from '../rules/refusal.ts'
import { second } from '../rules/time.ts'

/** Stores the contents of files outside the database. Names are paths of words and ids, such as `payer_receipts/…`. */
export type FileStorage = {
  /** Stores a content; once it returns, the content survives a crash. Storing the same name again replaces it. */
  put(name: string, content: Uint8Array): Promise<void>
  /** Reads a content; undefined if the name does not exist. */
  get(name: string): Promise<Buffer | undefined>
  /** Removes a content if it exists. */
  remove(name: string): Promise<void>
  /** The names that begin with a path, in pages. */
  list(path: string): AsyncIterable<readonly string[]>
}

const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === 'ENOENT'

const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Makes the folder if it is missing; refuses one that this process may not write to. */
const prepareFolder = (root: string): void => {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 })
    accessSync(root, constants.W_OK)
  } catch (error) {
    throw new Misconfigured(
      `PAYIN_FILE_STORAGE names ${root}, where this process cannot write (${(error as NodeJS.ErrnoException).code}). Name a directory that its user may write to.`,
    )
  }
}

/** Files in a folder of this machine, or a folder that all processes share. */
const openFolder = (root: string): FileStorage => ({
  put: async (name, content) => {
    const path = join(root, name)
    const folder = dirname(path)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // A name always has a whole file or none.
    const written = `${path}.new`
    const file = await open(written, 'w', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(written, path)
    await syncFolder(folder)
  },
  get: (name) =>
    readFile(join(root, name)).catch((error: unknown) => {
      if (isMissing(error)) return undefined
      throw error
    }),
  remove: (name) => rm(join(root, name), { force: true }),
  list: async function* (path) {
    const names = await readdir(join(root, path)).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
    yield names.map((name) => `${path}/${name}`)
  },
})

/** How long a storage may take to store or return a file of a few megabytes. */
const fileMs = 30 * second

type Keys = { readonly region: string; readonly keyId: string; readonly secret: string }

/** Objects of a bucket, under the path after its name in the address. The package is loaded with the first file. */
const openBucket = (address: URL, { region, keyId, secret }: Keys): FileStorage => {
  const [bucket = '', ...path] = address.pathname.split('/').filter(Boolean)
  const prefix = path.length === 0 ? '' : `${path.join('/')}/`
  const connect = async () => {
    const { S3mini } = await import('s3mini')
    const options = { endpoint: `${address.origin}/${bucket}`, region, requestAbortTimeout: fileMs }
    return new S3mini({ ...options, accessKeyId: keyId, secretAccessKey: secret })
  }
  let connected: ReturnType<typeof connect> | undefined
  const client = () => (connected ??= connect())
  return {
    put: async (name, content) => {
      const answer = await (await client()).putObject(prefix + name, Buffer.from(content))
      if (!answer.ok) throw new Error(`the storage of files answered ${answer.status}`)
    },
    get: async (name) => {
      const content = await (await client()).getObjectArrayBuffer(prefix + name)
      return content === null ? undefined : Buffer.from(content)
    },
    remove: async (name) => {
      await (await client()).deleteObject(prefix + name)
    },
    list: async function* (under) {
      let next: string | undefined
      do {
        const page = await (await client()).listObjectsPaged('/', `${prefix}${under}/`, 1000, next)
        yield (page?.objects ?? []).map(({ Key }) => Key.slice(prefix.length))
        next = page?.nextContinuationToken
      } while (next !== undefined && next !== '')
    },
  }
}

/**
 * The storage that an address names: `file:///folder`, or `https://endpoint/bucket/path` of S3-compatible storage. Throws
 * `Misconfigured` for a folder that it may not write to.
 */
export const openFileStorage = (address: string, keys: Keys): FileStorage => {
  const url = new URL(address)
  if (url.protocol !== 'file:') return openBucket(url, keys)
  const root = fileURLToPath(url)
  prepareFolder(root)
  return openFolder(root)
}
