import '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { ReceiptFile } from '../../engine/disputes/claims/seal-file.ts'
import { maxReceiptBytes, readReceiptType } from '../../rules/payments/receipt.ts'
import { Refusal } from '../../rules/refusal.ts'
import { type UploadPace, slowestUpload } from '../access/uploads.ts'

/** Fields of a form with a file. `receipt` is the file or what is wrong with it, and `undefined` if none was chosen. */
export type Upload = {
  readonly fields: Readonly<Record<string, string>>
  readonly receipt: ReceiptFile | 'wrongType' | 'tooLarge' | undefined
}

/** Limits of such a form: one file and a few short fields. */
export const uploadLimits = {
  fileSize: maxReceiptBytes,
  files: 1,
  fields: 4,
  parts: 5,
  fieldSize: 200,
  headerPairs: 20,
}

// The parser fails on a form that ends too early, has no boundary or too many parts. All of these are the sender's errors.
const toUploadRefusal = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error
  const isTooMuch = (error as { statusCode?: number }).statusCode === 413
  return isTooMuch
    ? new Refusal('payload_too_large', 'The form has more parts than this operation accepts.')
    : new Refusal('validation_failed', 'The form is not complete.')
}

const isTooLarge = (error: unknown): boolean => (error as { code?: string }).code === 'FST_REQ_FILE_TOO_LARGE'

/** `tooSlow` rejects once a request arrives more slowly than it may; `end` stops the watch. */
const watchPace = ({ raw }: FastifyRequest, pace: UploadPace) => {
  const late = Promise.withResolvers<never>()
  const refuse = (): void =>
    late.reject(new Refusal('request_timeout', 'The form took too long to arrive; try again on a better connection.'))
  let before = raw.socket.bytesRead
  const interval = setInterval(() => {
    const { bytesRead } = raw.socket
    if (!raw.complete && bytesRead - before < pace.bytes) refuse()
    before = bytesRead
  }, pace.windowMs)
  const deadline = setTimeout(refuse, pace.withinMs)
  const end = (): void => {
    clearInterval(interval)
    clearTimeout(deadline)
  }
  return { tooSlow: late.promise, end }
}

const readParts = async (request: FastifyRequest): Promise<Upload> => {
  const fields: Record<string, string> = {}
  let receipt: Upload['receipt']
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        if (typeof part.value === 'string') fields[part.fieldname] = part.value
        continue
      }
      const content = await part.toBuffer()
      const type = readReceiptType(content)
      // Browsers send a file field that was left empty as an empty file.
      if (content.length > 0) receipt = type === undefined ? 'wrongType' : { type, content }
    }
  } catch (error) {
    // The file is the last field of our forms, so the others have been read.
    if (!isTooLarge(error)) throw toUploadRefusal(error)
    receipt = 'tooLarge'
  }
  return { fields, receipt }
}

/**
 * Reads a form with a file (RFC 7578), whose type is taken from its content. Refuses `unsupported_media_type`,
 * `validation_failed`, `payload_too_large`, and `request_timeout` when it comes more slowly than `pace`.
 */
export const readUpload = async (request: FastifyRequest, pace = slowestUpload): Promise<Upload> => {
  if (!request.isMultipart()) throw new Refusal('unsupported_media_type', 'Send the form as multipart/form-data.')
  const { tooSlow, end } = watchPace(request, pace)
  try {
    return await Promise.race([readParts(request), tooSlow])
  } finally {
    end()
  }
}
