import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { type Made, openDecision, recordDone, recordRefused } from '../../engine/decisions/record-decision.ts'
import { listResults } from '../../engine/decisions/read.ts'
import type { Assigner } from '../../engine/transfers/transfer-parts.ts'
import { amountRefusals } from '../../operations/fields.ts'
import { Refusal, type RefusalCode } from '../../rules/refusal.ts'
import { hashText } from '../../secrets/hashes.ts'
import { actOnBehalf, actorOf, secondOf } from '../access/act-on-behalf.ts'
import { readBody } from '../routes/read-body.ts'
import type { Known } from '../routes/to-answer.ts'

/** Refusals that concern one transfer or dispute; any other one ends the request. */
const rowCodes: ReadonlySet<RefusalCode> = new Set([
  ...amountRefusals,
  'amount_below_min',
  'invalid_state',
  'payment_not_found',
  'resource_not_found',
  'second_person_required',
  'status_changed',
  'validation_failed',
])

/** Whether an error is such a refusal. */
export const isOfRow = (error: unknown): error is Refusal => error instanceof Refusal && rowCodes.has(error.code)

/** One decision of a request: `preview` shows what it would do, `decide` carries it out. */
type Opened = {
  /** What the audit calls it, and knows about it. */
  readonly verb: string
  readonly details: object
  readonly preview: () => Promise<object>
  readonly decide: (tx: Tx) => Promise<Made>
}

type Row = { readonly id: string; readonly decision: string; readonly note?: string }

/** What differs between decisions about transfers and about disputes. */
export type Decidable<Owner extends string, Wanted> = {
  readonly about: 'transfer' | 'dispute'
  /** The field of a row that names the requisite of a transfer, or the merchant of a dispute. */
  readonly owner: Owner
  /** Reports what a row lacks. */
  readonly check: (wanted: Wanted, wrong: (field: string, message: string) => void) => void
  /** Whether a decision must have a note. */
  readonly needsNote: (decision: string) => boolean
  readonly open: (context: Context, wanted: Wanted, decider: Assigner) => Promise<Opened>
}

/** Rolls back a transaction whose decision another request with the same key has carried out meanwhile. */
class DecidedMeanwhile extends Error {}

/**
 * Decides about each row of a request, or previews it, and returns the results. With an `Idempotency-Key`, a repeated
 * request gets the same results, and continues where the first was cut off.
 */
export const decideMany = async <Result, Owner extends string, Wanted extends Row & Readonly<Record<Owner, string>>>(
  context: Context,
  request: FastifyRequest<{ Body: { readonly note?: string; readonly preview?: boolean } }>,
  { about, owner, check, needsNote, open }: Decidable<Owner, Wanted>,
  wanted: readonly Wanted[],
): Promise<{ readonly id?: string; readonly results: readonly Known<Result>[] }> => {
  const { body, headers } = request
  readBody((read) => {
    const seen = new Set<string>()
    for (const [index, each] of wanted.entries()) {
      const wrong = (field: string, message: string): void => read.wrong(`${about}s.${index}.${field}`, message)
      check(each, wrong)
      if (needsNote(each.decision) && (each.note ?? body.note) === undefined) wrong('note', 'is required: say why.')
      if (seen.has(each.id)) wrong('id', 'is named twice.')
      seen.add(each.id)
    }
  })
  const openRow = (each: Wanted): Promise<Opened> =>
    open(context, each, { ...secondOf(context, request), note: each.note ?? body.note ?? null })
  const toResult = (ownerId: string, id: string, decision: string, rest: object) =>
    ({ [owner]: ownerId, id, decision, ...rest }) as Known<Result>

  if (body.preview) {
    const results: Known<Result>[] = []
    for (const each of wanted) {
      let effect: object
      try {
        effect = { state: 'possible', ...(await (await openRow(each)).preview()) }
      } catch (error) {
        if (!isOfRow(error)) throw error
        effect = { state: 'refused', code: error.code, message: error.message }
      }
      results.push(toResult(each[owner], each.id, each.decision, effect))
    }
    return { results }
  }

  const { 'idempotency-key': key } = headers
  const decisionId = await openDecision(
    context,
    about,
    actorOf(request),
    typeof key === 'string' ? key : null,
    hashText(JSON.stringify(body)),
  )
  const known = new Set((await listResults(context, decisionId)).map(({ id }) => id))
  for (const [index, each] of wanted.entries()) {
    if (known.has(each.id)) continue
    const { id, decision: word, [owner]: ownerId } = each
    const named = { decisionId, number: index + 1, ownerId, id, word }
    try {
      const { verb, details, decide } = await openRow(each)
      const work = async (tx: Tx): Promise<void> => {
        if (!(await recordDone(tx, named, await decide(tx)))) throw new DecidedMeanwhile('decided meanwhile')
      }
      await actOnBehalf(context, request, work, {
        action: `${about}.${verb}`,
        subject: `${about}:${ownerId}/${id}`,
        details: { ...details, decisionId, together: wanted.length },
      })
    } catch (error) {
      if (error instanceof DecidedMeanwhile) continue
      if (!isOfRow(error)) throw error
      await recordRefused(context, named, error)
    }
  }
  const results = (await listResults(context, decisionId)).map(({ ownerId, id, word, ...rest }) =>
    toResult(ownerId, id, word, rest),
  )
  return { id: decisionId, results }
}
