import type { Context, Tx } from '../../../context.ts'
import { postBooked, purposeAccount } from '../../../../rules/transfers/outgoing.ts'
import { onlyRuleFor } from '../../../../rules/transfers/outgoing-rule.ts'
import { proposeOutgoing } from '../../../../rules/transfers/propose-outgoing.ts'
import { postEntries } from '../../../ledger/post-entries.ts'
import { listWithinOne } from '../agree-on-purpose.ts'
import { listCandidates } from '../candidates/list-candidates.ts'
import { type PayeeDetails, payeeDetails } from '../payee-details.ts'
import { listStillWaiting, lockOutgoing, markDecided, selectOutgoing, type StoredOutgoing } from '../store.ts'
import { openRules, type OutgoingRule } from './open-rules.ts'

/** Up to how many millionths of USDT within 24 hours the rules of an operator book alone; null: without a bound. */
export type FindRuleBound = (tx: Tx, by: string) => Promise<bigint | null>

/** Unexplained outgoing money for which there is exactly one rule. */
export type Bookable = StoredOutgoing & PayeeDetails

const mostAtOnce = 10_000

const bookableBy = (rules: readonly OutgoingRule[], row: Bookable): OutgoingRule | undefined => {
  const rule = onlyRuleFor(rules, row)
  return row.decidedBy === null || row.purpose === rule?.purpose ? rule : undefined
}

/**
 * The unexplained outgoing transfers, of one report or by one rule, that the rules would book: exactly one is for it,
 * it may not be a payer's money or a duplicate, and nobody explains it differently.
 */
export const findBookable = async (
  context: Context,
  rules: readonly OutgoingRule[],
  wanted: { readonly source: string } | { readonly ruleId: string },
): Promise<readonly Bookable[]> => {
  if (rules.length === 0) return []
  const any = { purpose: null, requisiteId: null, source: null, before: null, limit: mostAtOnce }
  const rows = (await context.query(selectOutgoing, { ...any, ...wanted, state: 'unexplained' }))
    .filter(({ givenBack, duplicateOf }) => !givenBack && duplicateOf === null)
    .map((row) => ({ ...row, ...payeeDetails(context.vault, row.id, row.detailsSealed) }))
    .filter((row) => {
      const rule = bookableBy(rules, row)
      return rule !== undefined && (!('ruleId' in wanted) || rule.id === wanted.ruleId)
    })
    .toReversed()
  const candidates = await listCandidates(context, rows)
  return rows.filter((row) => proposeOutgoing(row, candidates.get(row.id) ?? []).length === 0)
}

/**
 * Books outgoing transfers that still wait and have one rule. What is beyond the bound of its author stays unexplained.
 * Returns the ids of what it has booked.
 */
export const bookByRules = async (
  tx: Tx,
  bookable: readonly Bookable[],
  findBound: FindRuleBound,
): Promise<string[]> => {
  if (bookable.length === 0) return []
  await tx.query(lockOutgoing, {})
  const rules = await openRules(tx)
  const waiting = new Map((await tx.query(listStillWaiting, { rows: bookable })).map((row) => [row.id, row]))
  const meant = bookable.flatMap((each) => {
    const now = waiting.get(each.id)
    const row = { ...each, ...now }
    const rule = now && bookableBy(rules, row)
    return rule ? [{ row, rule }] : []
  })
  const byAuthor = Map.groupBy(meant, ({ rule }) => (rule.approvedBy === null ? rule.addedBy : null))
  const booked = byAuthor.get(null) ?? []
  for (const [actor, own] of byAuthor) {
    if (actor === null) continue
    const rows = own.map(({ row }) => row)
    const within = new Set(await listWithinOne(tx, rows, { actor, findBound: () => findBound(tx, actor) }))
    booked.push(...own.filter(({ row }) => within.has(row)))
  }
  if (booked.length === 0) return []
  await tx.query(markDecided, {
    rows: booked.map(
      ({ row: { requisiteId, id }, rule: { id: documentId, purpose, reason, addedBy, approvedBy } }) => ({
        ...{
          requisiteId,
          id,
          state: 'booked' as const,
          purpose,
          merchantId: null,
          paymentId: null,
          documentId,
          reason,
        },
        decidedBy: approvedBy === null ? addedBy : `${addedBy}, ${approvedBy}`,
        decidedAt: tx.now,
      }),
    ),
  })
  await postEntries(
    tx,
    booked.map(({ row, rule }) => [postBooked(row, purposeAccount[rule.purpose](row.currency))]),
  )
  return booked.map(({ row }) => row.id)
}

/** Books what a report has brought by the rules (see `findBookable`). Repeating it changes nothing. */
export const bookReportByRules = async (context: Context, source: string, findBound: FindRuleBound): Promise<void> => {
  const bookable = await findBookable(context, await openRules(context), { source })
  if (bookable.length > 0) await context.transaction((tx) => bookByRules(tx, bookable, findBound))
}
