import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../domain/refusal.ts'
import type { App } from '../app.ts'
import { countHeader } from '../count-header.ts'

/** RFC 9112 §3.2: exactly one Host header, because a proxy may have read one and we another. */
const checkHost = ({ raw }: FastifyRequest): void => {
  const hosts = countHeader(raw, 'host')
  if (hosts === 1 || (hosts === 0 && raw.httpVersionMajor === 1 && raw.httpVersionMinor < 1)) return
  throw new Refusal('validation_failed', 'The request must have one Host header.')
}

/**
 * RFC 9112 §6.1: Node.js reads any list of codings that ends with `chunked` and leaves the others undone; a proxy may
 * read them otherwise. Any other list is a parse error, which is answered without us.
 */
const checkTransferCoding = ({ raw, headers }: FastifyRequest, reply: FastifyReply): void => {
  const coding = headers['transfer-encoding']
  if (coding === undefined || !/(?:^|[\s,])chunked\s*$/i.test(coding)) return
  if (coding.toLowerCase() === 'chunked' && raw.httpVersionMinor > 0) return
  void reply.header('connection', 'close')
  throw new Refusal('validation_failed', 'The only Transfer-Encoding is chunked, in HTTP/1.1.')
}

const checkExpectation = ({ headers: { expect } }: FastifyRequest): void => {
  if (expect === undefined || expect.toLowerCase() === '100-continue') return
  throw new Refusal('expectation_failed', 'The only Expect is 100-continue.')
}

/** Refuses requests whose headers leave open where they go, where they end, or what they wait for. */
export const checkHeaders = (app: App): void => {
  app.addHook('onRequest', (request, reply, done) => {
    checkHost(request)
    checkTransferCoding(request, reply)
    checkExpectation(request)
    done()
  })
}
