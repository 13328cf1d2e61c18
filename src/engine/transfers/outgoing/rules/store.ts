import { bigint, instant, nullable, query, text, uuid, word } from 'payin-database'
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

export const insertRule = query('insert_outgoing_rule', {
  parameters: ruleRow,
  text: `insert into outgoing_rules (:fields) values (:values)`,
})

export const markApproved = query('approve_outgoing_rule', {
  parameters: { id: uuid, approvedBy: text },
  text: `update outgoing_rules set approved_by = :approvedBy where id = :id`,
})

export const markRemoved = query('remove_outgoing_rule', {
  parameters: { id: uuid, removedAt: instant },
  text: `update outgoing_rules set removed_at = :removedAt where id = :id`,
})
