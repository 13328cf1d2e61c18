import type { Context } from '../../../context.ts'
import { maskNumber, maskNumbers } from '../../../../rules/values/masking.ts'
import { requireRow } from '../../../../rules/refusal.ts'
import { conditionLike, fitsRule, rulePurposes, suggestRules } from '../../../../rules/transfers/outgoing-rule.ts'
import { payeeDetails } from '../payee-details.ts'
import { findOutgoingRow, selectOutgoing, type StoredOutgoing } from '../store.ts'
import { openRules, type OutgoingRule } from './open-rules.ts'
import type { ActingRule } from './outgoing-rules.ts'

/** How many of the last outgoing transfers a rule is tried on, or suggested from. */
const triedRows = 1000

const maskPayee = (payee: string | null): string | null =>
  payee !== null && !/\p{L}/u.test(payee) ? maskNumber(payee) : maskNumbers(payee)

/** What a rule wants for an operator: numbers of accounts, cards and phones are masked. */
export const maskWanted = <Wanted extends { readonly text: string | null; readonly payee: string | null }>(
  wanted: Wanted,
): Wanted => ({ ...wanted, text: maskNumbers(wanted.text), payee: maskPayee(wanted.payee) })

const describe = ({ vault }: Pick<Context, 'vault'>, row: StoredOutgoing) => ({
  ...row,
  ...payeeDetails(vault, row.id, row.detailsSealed),
})

/** The last transfers that left, of some requisites or (null) all, and are explained or may be. */
const listLast = async (context: Context, requisiteIds: readonly string[] | null) => {
  const any = { state: null, purpose: null, source: null, before: null, limit: triedRows }
  const pages = []
  for (const requisiteId of requisiteIds ?? [null])
    pages.push(...(await context.query(selectOutgoing, { ...any, requisiteId })))
  return pages
    .filter(({ state, givenBack }) => (state === 'unexplained' || state === 'booked') && !givenBack)
    .map((row) => describe(context, row))
}

/** Whether a rule books a row, agrees with how it was booked, or not, or lets it wait. */
export type RuleOutcome = 'books' | 'same' | 'other' | 'waits'

/** The rules in force. */
export const listRules = (context: Context): Promise<OutgoingRule[]> => openRules(context)

/** The last rows that a rule is for, and what it makes of each. */
export const tryRule = async (context: Context, { rule, booked }: ActingRule) => {
  const outcomeOf = ({ id, state, purpose }: Pick<StoredOutgoing, 'id' | 'state' | 'purpose'>): RuleOutcome => {
    if (booked.includes(id)) return 'books'
    if (state === 'unexplained') return 'waits'
    return purpose === rule.purpose ? 'same' : 'other'
  }
  return (await listLast(context, rule.requisiteIds))
    .filter((row) => fitsRule(rule, row))
    .map(({ requisiteId, id, bookedAt, amount, currency, state, purpose, name, text }) => ({
      ...{ requisiteId, id, bookedAt, amount, currency, state, purpose, name: maskNumbers(name) },
      ...{ text: maskNumbers(text), outcome: outcomeOf({ id, state, purpose }) },
    }))
}

/** Rules that would do what operators did at least twice. */
export const listSuggestedRules = async (context: Context) => {
  const rows = await listLast(context, null)
  const isByPerson = ({ state, documentId, decidedBy }: StoredOutgoing): boolean =>
    state === 'booked' && documentId === null && decidedBy?.startsWith('operator:') === true
  const explained = rows.flatMap((row) => {
    const purpose = rulePurposes.find((each) => each === row.purpose)
    return purpose !== undefined && isByPerson(row) ? [{ ...row, purpose }] : []
  })
  const waiting = rows.filter(({ state, duplicateOf }) => state === 'unexplained' && duplicateOf === null)
  return suggestRules(explained, waiting, await openRules(context)).map(({ like, ...counts }) => {
    const { requisiteId, id, purpose, reason } = like
    return maskWanted({ ...conditionLike(like), requisiteId, id, purpose, reason: reason ?? '', ...counts })
  })
}

/** The rule that is for rows like an outgoing transfer. Refuses `resource_not_found`. */
export const readRuleLike = async (context: Context, key: { readonly requisiteId: string; readonly id: string }) => {
  const row = requireRow(await context.query(findOutgoingRow, key), 'outgoing transfer')
  const { requisiteIds: _, ...condition } = conditionLike(describe(context, row))
  return { ...condition, requisiteId: key.requisiteId }
}
