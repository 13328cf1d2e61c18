import { Refusal, type RefusalCode } from '../../domain/refusal.ts'
import { toProblem } from '../errors.ts'

const refusalOf = (code: string | undefined): Refusal => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal('headers_too_large', 'The headers are larger than 16 KiB.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('request_timeout', 'The request did not come in time.')
    default:
      return new Refusal('validation_failed', 'This is not a well-formed HTTP request.')
  }
}

/**
 * Answers what Node.js could not read as a request or has waited for too long, on its bare connection. Returns the code
 * of the refusal.
 */
export const answerClientError = (
  error: Error & { code?: string },
  connection: { endWith(text: string): void },
  requestId: string,
): RefusalCode => {
  const refusal = refusalOf(error.code)
  const { status, headers, body } = toProblem(refusal, requestId)
  const text = JSON.stringify(body)
  const lines = Object.entries({
    ...headers,
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  connection.endWith(`HTTP/1.1 ${status} Refused\r\n${head}\r\n${text}`)
  return refusal.code
}
