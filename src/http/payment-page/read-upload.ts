import '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { ReceiptFile } from '../../claims/receive-proof.ts'
import { maxReceiptBytes, readReceiptType } from '../../domain/receipt.ts'
import { Refusal } from '../../domain/refusal.ts'

/** Fields of a form with a file; `receipt` is `wrong` when it is too large or of another type. */
export type Upload = {
  readonly fields: Readonly<Record<string, string>>
  readonly receipt: ReceiptFile | 'wrong' | undefined
}

/** Limits of such a form: one file, and a few short fields beside it. */
export const uploadLimits = {
  fileSize: maxReceiptBytes,
  files: 1,
  fields: 4,
  parts: 5,
  fieldSize: 200,
  headerPairs: 20,
}

// Each holds up to 5 MB until its file is sealed: 8 of them are 40 MB.
const mostAtOnce = 8
let underWay = 0

const isTooLarge = (error: unknown): boolean => (error as { code?: string }).code === 'FST_REQ_FILE_TOO_LARGE'

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
      // A field of a form that was left empty comes as an empty file.
      if (content.length > 0) receipt = type === undefined ? 'wrong' : { type, content }
    }
  } catch (error) {
    // The file is the last field of our forms, so the others have been read.
    if (!isTooLarge(error)) throw error
    receipt = 'wrong'
  }
  return { fields, receipt }
}

/** Reads a form with a file (RFC 7578); its type is told by its content. Refuses `overloaded` and what is no such form. */
export const readUpload = async (request: FastifyRequest): Promise<Upload> => {
  if (!request.isMultipart()) throw new Refusal('unsupported_media_type', 'Send the form as multipart/form-data.')
  if (underWay >= mostAtOnce) {
    throw new Refusal('overloaded', 'Too many files are being sent; try again shortly.', { retryAfterSeconds: 5 })
  }
  underWay++
  try {
    return await readParts(request)
  } finally {
    underWay--
  }
}
