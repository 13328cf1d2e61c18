import type { Queryable } from 'payin-database'
import type { OutgoingCondition } from '../../../../rules/transfers/outgoing-rule.ts'
import type { Vault } from '../../../../secrets/vault.ts'
import { listSharing } from '../../../requisites/read.ts'
import { selectRules, type StoredRule } from './store.ts'

/** A rule with what it wants; its text and payee may contain numbers of accounts. */
export type OutgoingRule = Omit<StoredRule, 'detailsSealed'> & OutgoingCondition

type Details = Pick<OutgoingCondition, 'text' | 'payee'>

const cell = (id: string) => ({ table: 'outgoing_rules', column: 'details_sealed', row: id })

/** Seals what a rule wants of the text and payee. */
export const sealRuleDetails = (vault: Vault, id: string, { text, payee }: Details): string =>
  vault.encrypt(JSON.stringify({ text, payee }), cell(id))

/** The rules in force, the oldest first. A rule of a requisite is also for those that share its account. */
export const openRules = async (sql: Queryable & { readonly vault: Vault }): Promise<OutgoingRule[]> => {
  const rules = await sql.query(selectRules, {})
  const sharing = await listSharing(
    sql,
    rules.flatMap(({ requisiteId }) => requisiteId ?? []),
  )
  return rules.map(({ detailsSealed, ...rule }) => ({
    ...rule,
    ...(JSON.parse(sql.vault.decrypt(detailsSealed, cell(rule.id))) as Details),
    requisiteIds: rule.requisiteId === null ? null : (sharing.get(rule.requisiteId) ?? [rule.requisiteId]),
  }))
}
