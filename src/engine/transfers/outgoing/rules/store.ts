import { bigint, instant, nullable, query, table, text, uuid, word } from 'payin-database'
import type { RulePurpose } from '../../../../rules/transfers/outgoing-rule.ts'

const ruleRow = {
  ...{ id: uuid, requisiteId: nullable(uuid), currency: text, detailsSealed: text },
  ...{ minAmount: nullable(bigint), maxAmount: nullable(bigint), purpose: word<RulePurpose>(), reason: text },
  ...{ addedBy: text, addedAt: instant, approvedBy: nullable(text) },
}

export type StoredRule = ReturnType<typeof selectRules.decode>

export const selectRules = query('list_outgoing_rules', {
  row: ruleRow,
  text: `select :row from outgoing_rules where removed_at is null order by id`,
})

const outgoingRules = table('outgoing_rules', { id: uuid })

export const insertRule = outgoingRules.insert('insert_outgoing_rule', ruleRow)

export const markApproved = outgoingRules.update('approve_outgoing_rule', { approvedBy: text })

export const markRemoved = outgoingRules.update('remove_outgoing_rule', { removedAt: instant })
