import { createHash } from 'node:crypto'
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

/** The texts of the elements with a name in an answer of the storage: of all that XML escapes, they may have an `&`. */
const readElements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</`, 'g'))].map(([, text = '']) => text.replaceAll('&amp;', '&'))

/** Objects of a bucket, under the path after its name in the address. The package is loaded with the first file. */
const openBucket = (address: URL, { region, keyId, secret }: Keys): FileStorage => {
  const [bucket = '', ...path] = address.pathname.split('/').filter(Boolean)
  const prefix = path.length === 0 ? '' : `${path.join('/')}/`
  const connect = async () => {
    const { AwsClient } = await import('aws4fetch')
    return new AwsClient({ accessKeyId: keyId, secretAccessKey: secret, region, service: 's3', retries: 2 })
  }
  let connected: ReturnType<typeof connect> | undefined
  /** The answer to a request; undefined if there is no such object, or no such bucket. */
  const ask = async (
    method: string,
    target: string,
    body: Uint8Array = new Uint8Array(),
  ): Promise<Response | undefined> => {
    const client = await (connected ??= connect())
    const hash = createHash('sha256').update(body).digest('hex')
    const answer = await client.fetch(`${address.origin}/${bucket}${target}`, {
      method,
      headers: { 'x-amz-content-sha256': hash },
      signal: AbortSignal.timeout(fileMs),
      ...(method === 'PUT' ? { body: Buffer.from(body) } : {}),
    })
    if (answer.ok) return answer
    await answer.body?.cancel()
    if (answer.status === 404) return undefined
    throw new Error(`the storage of files answered ${answer.status}`)
  }
  return {
    put: async (name, content) => {
      const answer = await ask('PUT', `/${prefix}${name}`, content)
      if (answer === undefined) throw new Error('the storage of files has no such bucket')
      await answer.body?.cancel()
    },
    get: async (name) => {
      const answer = await ask('GET', `/${prefix}${name}`)
      return answer && Buffer.from(await answer.arrayBuffer())
    },
    remove: async (name) => {
      const answer = await ask('DELETE', `/${prefix}${name}`)
      await answer?.body?.cancel()
    },
    list: async function* (under) {
      let next: string | undefined
      do {
        const query = new URLSearchParams({ 'list-type': '2', 'max-keys': '1000', prefix: `${prefix}${under}/` })
        if (next !== undefined) query.set('continuation-token', next)
        const answer = await ask('GET', `/?${query}`)
        const xml = answer ? await answer.text() : ''
        yield readElements(xml, 'Key').map((name) => name.slice(prefix.length))
        next = readElements(xml, 'NextContinuationToken')[0]
      } while (next)
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
