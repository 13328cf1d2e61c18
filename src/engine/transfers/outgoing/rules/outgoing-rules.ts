import { letters } from 'bank-files/pure'
import type { Context, Tx } from '../../../context.ts'
import { invalidState, noSuch, refuseField } from '../../../../rules/refusal.ts'
import type { OutgoingCondition, RulePurpose } from '../../../../rules/transfers/outgoing-rule.ts'
import type { Explainer } from '../agree-on-purpose.ts'
import { lockOutgoing } from '../store.ts'
import { bookByRules, findBookable, type FindRuleBound } from './book-by-rules.ts'
import { findAccounts, openRules, type OutgoingRule, sealRuleDetails } from './open-rules.ts'
import { insertRule, markApproved, markRemoved } from './store.ts'

export type WantedRule = Omit<OutgoingCondition, 'requisiteIds'> & {
  readonly requisiteId: string | null
  readonly purpose: RulePurpose
  readonly reason: string
}

export type ActingRule = { readonly rule: OutgoingRule; readonly booked: readonly string[] }

/** A rule; refuses `resource_not_found`. */
export const getRule = async (sql: Parameters<typeof openRules>[0], id: string): Promise<OutgoingRule> => {
  const rule = (await openRules(sql)).find((each) => each.id === id)
  if (!rule) throw noSuch('rule')
  return rule
}

/** Finds a rule, and excludes all who record or explain outgoing money, or change rules. */
const lockRule = async (tx: Tx, id: string): Promise<OutgoingRule> => {
  await tx.query(lockOutgoing, {})
  return getRule(tx, id)
}

/**
 * What adds a rule, on the word of `addedBy` until another operator approves it, and books what waits, which a
 * transaction cannot read. Refuses `validation_failed` if it would be for any money.
 */
export const prepareRule = async (
  context: Context,
  wanted: WantedRule,
  addedBy: string,
  findBound: FindRuleBound,
): Promise<(tx: Tx) => Promise<ActingRule>> => {
  const { text, payee } = wanted
  if ((text ?? payee) === null || letters(text ?? 'any') === '' || letters(payee ?? 'any') === '')
    throw refuseField('text', 'or payee is required, with a word or a number.')
  const requisiteIds = (await findAccounts(context, [wanted.requisiteId]))(wanted.requisiteId)
  const rule = { ...wanted, requisiteIds, id: context.newId(), addedBy, addedAt: context.clock(), approvedBy: null }
  const bookable = await findBookable(context, [...(await openRules(context)), rule], { ruleId: rule.id })
  return async (tx) => {
    await tx.query(lockOutgoing, {})
    const detailsSealed = sealRuleDetails(tx.vault, rule.id, { text, payee })
    await tx.query(insertRule, { ...rule, detailsSealed, addedAt: tx.now })
    return { rule, booked: await bookByRules(tx, bookable, findBound) }
  }
}

/**
 * What approves a rule of another operator, and books what waits. Refuses `resource_not_found`, `invalid_state` if it
 * is approved, and `second_person_required` if the two may be one person.
 */
export const prepareApproval = async (
  context: Context,
  id: string,
  { actor, refuseOnePerson }: Pick<Explainer, 'actor' | 'refuseOnePerson'>,
  findBound: FindRuleBound,
): Promise<(tx: Tx) => Promise<ActingRule>> => {
  const bookable = await findBookable(context, await openRules(context), { ruleId: id })
  return async (tx) => {
    const rule = await lockRule(tx, id)
    if (rule.approvedBy !== null) throw invalidState('The rule is approved.')
    await refuseOnePerson(tx, rule.addedBy)
    await tx.query(markApproved, { id, approvedBy: actor })
    return { rule: { ...rule, approvedBy: actor }, booked: await bookByRules(tx, bookable, findBound) }
  }
}

/** Removes a rule; what it has booked stays booked. Refuses `resource_not_found`. */
export const removeRule = async (tx: Tx, id: string): Promise<OutgoingRule> => {
  const rule = await lockRule(tx, id)
  await tx.query(markRemoved, { id, removedAt: tx.now })
  return rule
}
