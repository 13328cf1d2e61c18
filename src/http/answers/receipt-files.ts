import { Type } from '../../operations/schema.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReceiptFile } from '../../engine/disputes/claims/seal-file.ts'
import { maxReceiptBytes, readReceiptType, type ReceiptType, receiptTypes } from '../../rules/payments/receipt.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { App } from '../routes/app.ts'
import { limitUploads, uploadWithinMs } from '../access/uploads.ts'

const endings: Readonly<Record<ReceiptType, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/heic': 'heic',
  'application/pdf': 'pdf',
}

/** Response schema of a file. */
export const fileAnswer = {
  description: 'The file.',
  content: Object.fromEntries(
    receiptTypes.map((type) => [type, { schema: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }) }]),
  ),
}

/** Sends a file as a download; its content policy keeps a browser that opens it anyway from running anything in it. */
export const sendFile = (
  reply: FastifyReply,
  name: string,
  file: { readonly contentType: ReceiptType; readonly content: Buffer },
): FastifyReply =>
  reply
    .headers({
      'content-disposition': `attachment; filename="${name}.${endings[file.contentType]}"`,
      'content-security-policy': "default-src 'none'; sandbox",
    })
    .type(file.contentType)
    .send(file.content)

const fileBodies = [...receiptTypes, 'application/octet-stream']

/** Body schema of a file that is the whole body. */
export const FileBody = {
  content: Object.fromEntries(fileBodies.map((type) => [type, { schema: Type.Unsafe<unknown>({}) }])),
}

const notAFile = (): Refusal =>
  new Refusal(
    'unsupported_media_type',
    `Send a PNG, JPEG, WebP, HEIC or PDF file as the body, with its content type: ${fileBodies.join(', ')}.`,
  )

/** Route options of an upload: files may come more slowly than other bodies. */
export const uploadOptions = {
  bodyLimit: maxReceiptBytes,
  bodyWithinMs: uploadWithinMs,
} as const

/**
 * Lets the routes of a scope accept files as bodies: PNG, JPEG, WebP, HEIC or PDF of at most 5 MB. A file counts as an
 * upload from its first byte until the response is sent: one at a time per key of `keyOf`, a few per address.
 */
export const takeFiles = (app: App, keyOf: (request: FastifyRequest) => string): void => {
  const uploads = limitUploads()
  app.addContentTypeParser(fileBodies, { parseAs: 'buffer', bodyLimit: maxReceiptBytes }, (_request, body, done) =>
    done(null, body),
  )
  // The whole body is read first, because clients read no response while they still send.
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxReceiptBytes }, (_request, _body, done) =>
    done(notAFile()),
  )
  app.addHook('preParsing', (request, reply, _payload, done) => {
    // A closed connection has no address any more, and its `close` event, which would release the upload, is over.
    if (request.raw.socket.destroyed) return done(new Refusal('validation_failed', 'The upload was cut off.'))
    try {
      reply.raw.once('close', uploads.take(request.ip, keyOf(request)))
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}

/** The file of a request, its type taken from its content. Refuses `unsupported_media_type`. */
export const readFile = (request: FastifyRequest): ReceiptFile => {
  const content = request.body
  const type = Buffer.isBuffer(content) ? readReceiptType(content) : undefined
  if (type === undefined) throw notAFile()
  return { type, content: content as Buffer }
}
