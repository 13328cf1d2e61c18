import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Up to this size, brotli's best quality is used; it takes a second for a megabyte. */
const smallBytes = 64 * 1024

const compressors = {
  br: (content: Buffer) =>
    brotliCompressSync(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: content.length > smallBytes ? 5 : 11 },
    }),
  gzip: (content: Buffer) => gzipSync(content, { level: content.length > smallBytes ? 6 : 9 }),
}
const codings = ['br', 'gzip'] as const
const accepts = { br: /\bbr\b(?!;q=0)/, gzip: /\bgzip\b(?!;q=0)/ }

/**
 * A document that does not change while the process runs. All responses share its bytes, so that a client that requests
 * it often and reads slowly holds no memory. It is compressed at the first request.
 */
export const staticDocument = (content: Buffer, type: string, cacheControl: string) => {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
  const forms = new Map<string, Buffer>()
  return {
    hash,
    /** Sends it, or 304 to a client that has it. */
    send: (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      const accepted = request.headers['accept-encoding'] ?? ''
      const coding = codings.find((each) => accepts[each].test(accepted))
      const tag = coding === undefined ? `"${hash}"` : `"${hash}-${coding}"`
      void reply.headers({ 'cache-control': cacheControl, vary: 'accept-encoding', etag: tag })
      if (request.headers['if-none-match']?.includes(tag)) return reply.code(304).send()
      void reply.type(type)
      if (coding === undefined) return reply.send(content)
      const form = forms.get(coding) ?? compressors[coding](content)
      forms.set(coding, form)
      return reply.header('content-encoding', coding).send(form)
    },
  }
}
