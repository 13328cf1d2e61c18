import type { Queryable } from 'payin-database'
import type { OutgoingCondition } from '../../../../rules/transfers/outgoing-rule.ts'
import { sealedJson } from '../../../../secrets/sealed-text.ts'
import type { Vault } from '../../../../secrets/vault.ts'
import { listSharing } from '../../../requisites/read.ts'
import { selectRules, type StoredRule } from './store.ts'

export type OutgoingRule = Omit<StoredRule, 'detailsSealed'> & OutgoingCondition

const details = sealedJson<Pick<OutgoingCondition, 'text' | 'payee'>>('outgoing_rules', 'details_sealed')
export const sealRuleDetails = details.seal

/** Finds the requisites that share an account with one of these; null for all stays null. */
export const findAccounts = async (sql: Queryable, requisiteIds: readonly (string | null)[]) => {
  const sharing = await listSharing(
    sql,
    requisiteIds.flatMap((id) => id ?? []),
  )
  return (id: string | null): readonly string[] | null => (id === null ? null : (sharing.get(id) ?? [id]))
}

/** The rules in force, the oldest first. */
export const openRules = async (sql: Queryable & { readonly vault: Vault }): Promise<OutgoingRule[]> => {
  const rules = await sql.query(selectRules, {})
  const accountOf = await findAccounts(
    sql,
    rules.map(({ requisiteId }) => requisiteId),
  )
  return rules.map(({ detailsSealed, ...rule }) => ({
    ...rule,
    ...details.open(sql.vault, rule.id, detailsSealed),
    requisiteIds: accountOf(rule.requisiteId),
  }))
}
