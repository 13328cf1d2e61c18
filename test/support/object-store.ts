// A small S3-compatible store in memory: PUT, GET, DELETE and ListObjectsV2 on one bucket, for requests signed with AWS
// Signature Version 4. The signature is computed here from its specification, not with the library under test.
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The region and keys that the store expects from its clients. */
export const storeKeys = { region: 'eu-test-1', keyId: 'TESTKEY', secret: 'test-secret' }

const sha256 = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex')
const hmac = (key: Uint8Array | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)

const isSigned = (request: IncomingMessage, url: URL, body: Buffer): boolean => {
  const given = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
    request.headers.authorization ?? '',
  )
  if (!given) return false
  const [, credential = '', signedHeaders = '', signature = ''] = given
  const [keyId = '', date = '', region = '', service = ''] = credential.split('/')
  if (keyId !== storeKeys.keyId || region !== storeKeys.region || service !== 's3') return false
  const query = [...url.searchParams]
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  const headers = signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
  const hash = String(request.headers['x-amz-content-sha256'])
  if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body)) return false
  const canonical = [request.method, url.pathname, query, headers.join(''), signedHeaders, hash].join('\n')
  const scope = `${date}/${region}/s3/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = [date, region, 's3', 'aws4_request'].reduce<Uint8Array | string>(hmac, `AWS4${storeKeys.secret}`)
  return hmac(key, toSign).toString('hex') === signature
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

const listing = (names: readonly string[], more: string | undefined): string =>
  `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>${more !== undefined}</IsTruncated>${
    more === undefined ? '' : `<NextContinuationToken>${more}</NextContinuationToken>`
  }${names
    .map(
      (name) =>
        `<Contents><Key>${name}</Key><Size>1</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
    )
    .join('')}</ListBucketResult>`

/** Starts a store with the bucket `files`; its lists have two objects per page. */
export const openObjectStore = async () => {
  const objects = new Map<string, Buffer>()
  let down = false
  let refused = 0
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://store')
      const answer = (status: number, content: Buffer | string = ''): void =>
        void response.writeHead(status, { etag: `"${sha256(content)}"` }).end(content)
      if (down) return answer(503)
      if (!isSigned(request, url, body)) {
        refused++
        return answer(403)
      }
      const [, bucket, ...path] = decodeURIComponent(url.pathname).split('/')
      const name = path.join('/')
      if (bucket !== 'files') return answer(404)
      if (name === '') {
        const prefix = url.searchParams.get('prefix') ?? ''
        const after = url.searchParams.get('continuation-token') ?? ''
        const names = [...objects.keys()].filter((each) => each.startsWith(prefix) && each > after).toSorted()
        return answer(200, listing(names.slice(0, 2), names.length > 2 ? names[1] : undefined))
      }
      if (request.method === 'PUT') objects.set(name, body)
      else if (request.method === 'DELETE') objects.delete(name)
      const found = objects.get(name)
      if (request.method === 'GET') return found ? answer(200, found) : answer(404)
      return answer(request.method === 'DELETE' ? 204 : 200)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}/files/payin`,
    objects,
    refused: () => refused,
    setDown: (isDown: boolean) => {
      down = isDown
    },
    close: () => new Promise((resolve) => void server.close(resolve)),
  }
}
