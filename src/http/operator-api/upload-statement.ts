import { isId } from '../../rules/values/id-text.ts'
import multipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { Refusal, refuseField } from '../../rules/refusal.ts'
import { formatList, type GivenMapping, type StatementCharset, statementCharsets } from 'bank-files/pure'
import { refuseStatement } from '../../rules/statements/statement.ts'
import { type Instant, second } from '../../rules/time.ts'
import { finishStatement } from '../../engine/statements/confirm-or-discard.ts'
import { getSource } from '../../engine/statements/sources/sources.ts'
import { stageStatement, type StatementUpload } from '../../engine/statements/stage-statement.ts'
import { actOnBehalf, actorOf } from '../access/act-on-behalf.ts'
import { routesForOperators } from '../routes/routes.ts'
import { Mapping } from '../../operations/statement-mapping.ts'
import { StatementAnswer } from '../../operations/statements.ts'
import { toStatementAnswer } from './statements.ts'

/** Largest file in bytes. */
const maxFileBytes = 256 * 1024 * 1024
/** Files that one process reads at the same time; each takes a database connection now and then. */
const maxAtOnce = 8
/** When all places are taken, an upload slower than this on average, after this long, is cut off for a new one. */
const slowest = { bytesPerSecond: 64 * 1024, afterMs: 10 * second }
/** The whole file must arrive within this time. */
const uploadWithinMs = 600 * second

const uploadLimits = { fileSize: maxFileBytes, files: 1, fields: 6, parts: 7, fieldSize: 16 * 1024, headerPairs: 20 }

const readId = (fields: Readonly<Record<string, string>>, name: string): string | null => {
  const value = fields[name]?.trim().toLowerCase()
  if (value === undefined || value === '') return null
  if (!isId(value)) throw refuseField(name, 'is not an id.')
  return value
}

const readMapping = async (text: string | undefined): Promise<Mapping | null> => {
  if (text === undefined || text.trim() === '') return null
  // Loaded with the first mapping: it has 250 modules.
  const { Value } = await import('typebox/value')
  try {
    const value: unknown = JSON.parse(text)
    if (Value.Check(Mapping, value)) return value
  } catch {
    // Refused below, like any other text that is not a mapping.
  }
  throw refuseField('mapping', 'is not a mapping of columns (JSON).')
}

const formFields: ReadonlySet<string> = new Set(['requisiteId', 'sourceId', 'mapping', 'charset', 'allCredits'])

/** The fields of a form up to its file; what comes after the file is not read. */
const readForm = async (
  request: FastifyRequest,
): Promise<{ fields: Record<string, string>; file: MultipartFile | undefined }> => {
  const fields: Record<string, string> = {}
  for await (const part of request.parts()) {
    if (part.type === 'file') return { fields, file: part }
    if (!formFields.has(part.fieldname)) throw refuseField(part.fieldname, 'is not a known field.')
    if (typeof part.value === 'string') fields[part.fieldname] = part.value
  }
  return { fields, file: undefined }
}

/** An upload that is under way, with how much of it has come; all of it: infinite. */
type UnderWay = { readonly since: Instant; bytes: number; readonly cut: () => void }

const underWay = new Set<UnderWay>()

const makeRoom = (now: Instant): void => {
  if (underWay.size < maxAtOnce) return
  const speedOf = ({ since, bytes }: UnderWay): number => (bytes / (now - since)) * second
  const [slow] = [...underWay]
    .filter((each) => now - each.since >= slowest.afterMs && speedOf(each) < slowest.bytesPerSecond)
    .toSorted((a, b) => speedOf(a) - speedOf(b))
  if (!slow)
    throw new Refusal('overloaded', 'Other statements are being read; try again soon.', { retryAfterSeconds: 5 })
  underWay.delete(slow)
  slow.cut()
}

/** The bytes of a file as they arrive; a reader that stops early does not end the request. */
async function* piecesOf({ file }: MultipartFile, arrived: UnderWay): AsyncGenerator<Uint8Array> {
  const pieces = file.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  try {
    for await (const piece of pieces) {
      arrived.bytes += piece.length
      yield piece
    }
    arrived.bytes = Infinity
  } catch {
    throw new Refusal('validation_failed', 'The upload was cut off, and nothing of it was kept: upload the file again.')
  }
  if (file.truncated)
    throw new Refusal(
      'payload_too_large',
      `The file is larger than ${maxFileBytes / 1024 / 1024} MiB: export fewer days at a time.`,
    )
}

const isCharset = (text: string): text is StatementCharset => (statementCharsets as readonly string[]).includes(text)

/** What the form says about how the file is read; what it leaves out comes from the source. */
const readGiven = async (
  fields: Readonly<Record<string, string>>,
  source: GivenMapping | null,
): Promise<GivenMapping> => {
  const charset = fields['charset']?.trim() ?? ''
  if (charset !== '' && !isCharset(charset))
    throw refuseField('charset', `is not one of ${statementCharsets.join(', ')}.`)
  const allCredits = fields['allCredits']?.trim() ?? ''
  if (!['', 'true', 'false'].includes(allCredits)) throw refuseField('allCredits', 'is neither true nor false.')
  return {
    ...((await readMapping(fields['mapping'])) ?? source),
    ...(charset === '' ? {} : { charset }),
    ...(allCredits === '' ? {} : { allCredits: allCredits === 'true' }),
  }
}

/** The name under which a file is kept. A client may send a file without a name, although the type says otherwise. */
const nameOf = ({ filename }: { readonly filename?: string }): string =>
  ((filename ?? '').replace(/\p{Cc}/gu, '') || 'statement').slice(0, 200).toWellFormed()

const openUpload = async (
  context: Context,
  request: FastifyRequest,
  arrived: UnderWay,
): Promise<StatementUpload & { file: MultipartFile }> => {
  if (!request.isMultipart()) throw new Refusal('unsupported_media_type', 'Send the statement as multipart/form-data.')
  const { fields, file } = await readForm(request).catch((error: unknown) => {
    throw error instanceof Refusal ? error : new Refusal('validation_failed', 'The form is not complete.')
  })
  if (!file) throw refuseField('file', 'is required, as the last field of the form.')
  const sourceId = readId(fields, 'sourceId')
  const source = sourceId === null ? null : await getSource(context, sourceId)
  const [only, ...others] = source?.requisiteIds ?? []
  return {
    file,
    pieces: piecesOf(file, arrived),
    fileName: nameOf(file),
    sourceId,
    sourceChangedBy: source?.changedBy ?? null,
    requisiteId: readId(fields, 'requisiteId') ?? (only !== undefined && others.length === 0 ? only : null),
    given: await readGiven(fields, source?.mapping ?? null),
    by: actorOf(request),
  }
}

const receive = async (context: Context, request: FastifyRequest, arrived: UnderWay) => {
  const { file, ...upload } = await openUpload(context, request, arrived)
  try {
    const staged = await stageStatement(context, upload)
    return await actOnBehalf(context, request, (tx) => finishStatement(tx, staged), {
      action: 'statement.upload',
      subject: `statement:${staged.id}`,
      details: ({ statement, alreadyKnown }) => ({
        ...{ fileName: upload.fileName, state: statement.state, counts: statement.counts, alreadyKnown },
        ...(alreadyKnown ? { same: statement.id } : {}),
        // Only if the operator confirms it.
        ...(upload.given.allCredits === true ? { allCredits: true } : {}),
      }),
    })
  } finally {
    // A client reads the response only when it has sent everything.
    file.file.resume()
  }
}

/** Upload of a statement: a form with a file, which is read as it arrives. */
export const uploadRoute = routesForOperators(async (scope) => {
  await scope.register(multipart, { limits: uploadLimits })
}).post('/statements', 'reconcile', {
  id: 'uploadStatement',
  summary: 'Upload a bank statement for a preview',
  description: `A form (multipart/form-data) whose last field is \`file\`; before it, if needed, \`requisiteId\` (if no requisite has the account number in the file), \`sourceId\`, \`mapping\` (JSON; omitted fields are detected from the file), \`charset\` (if the recognised one is wrong) and \`allCredits\` (\`true\`: amounts without a sign or a direction word are credits). The format is recognised from the content: ${formatList}. No money moves before the statement is confirmed. Returns 200 for a file that is already known, and 422 \`statement_refused\` with each line and reason.`,
  bodyLimit: maxFileBytes + 1024 * 1024,
  bodyWithinMs: uploadWithinMs,
  consumes: ['multipart/form-data'],
  answers: { 200: StatementAnswer, 201: StatementAnswer },
  refusals: ['resource_not_found', 'statement_refused'],
  handle: async (context, request, reply) => {
    makeRoom(context.clock())
    const own: UnderWay = { since: context.clock(), bytes: 0, cut: () => request.raw.destroy() }
    underWay.add(own)
    try {
      const { statement, alreadyKnown } = await receive(context, request, own)
      if (statement.state === 'refused') {
        const { code, message, details } = refuseStatement(statement.faults)
        throw new Refusal(code, message, { ...details, extra: { statementId: statement.id } })
      }
      reply.code(alreadyKnown ? 200 : 201)
      return toStatementAnswer(statement)
    } finally {
      underWay.delete(own)
    }
  },
})
