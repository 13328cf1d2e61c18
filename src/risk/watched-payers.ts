import type { PayerIdentity } from '../domain/risk.ts'
import type { Instant } from '../domain/time.ts'
import type { Vault } from '../secrets/vault.ts'
import { identifyPayers, type KnownPayer } from './identify-payers.ts'
import type { RiskRules } from './risk-rules.ts'

/**
 * The identities of a payer that a block or a velocity rule concerns; none for nearly everybody. Decided in memory, so
 * that a payment which no rule watches costs no query.
 */
export const watchedPayers = (
  rules: RiskRules,
  vault: Pick<Vault, 'blindIndexes'>,
  payer: KnownPayer,
  now: Instant,
): readonly PayerIdentity[] => {
  if (rules.isEmpty) return []
  return identifyPayers(vault, payer).filter(
    (identity) =>
      rules.findBlock(payer.merchantId, identity, now) !== undefined ||
      rules.rulesFor(payer.merchantId, identity.kind).length > 0,
  )
}
