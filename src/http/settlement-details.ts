import type { Settlement } from '../rules/money/settlement.ts'
import { wire } from '../operations/fields.ts'
import type { SettlementDetails } from '../operations/settlements.ts'
import type { Static } from '../operations/schema.ts'

/** The wire form of a settlement for its merchant. */
export const toSettlementDetails = (settlement: Settlement): Static<typeof SettlementDetails> => {
  const { draftedBy: _author, approvedBy: _second, secondPerson: _rule, failingBy: _proposer, ...shown } = settlement
  return wire.fields({ ...shown, amount: wire.quote(settlement.amount) })
}
