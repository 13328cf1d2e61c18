import { type Static, Type } from './schema.ts'
import { type Settlement, settlementStatuses } from '../rules/money/settlement.ts'
import { Id, Time, wire } from './fields.ts'

/** Schema of a settlement's status. */
export const SettlementStatus = Type.OneOf(settlementStatuses, { title: 'SettlementStatus', examples: ['paid'] })

/** A settlement as its merchant sees it. */
export const SettlementDetails = Type.Titled('Settlement', {
  id: Id,
  reference: Type.Text("The operator's own reference.", 'settlement-2026-01'),
  status: SettlementStatus,
  currency: Type.String({ examples: ['USDT'] }),
  amount: Type.Number({ examples: [53.513513] }),
  destination: Type.Text(
    'Where the money is sent: label, address and kind.',
    'Main wallet: TJRabPrwbZy45sbavfcjinPJC18kjpRTv8 (USDT on TRON)',
  ),
  destinationId: Type.Optional(Id),
  externalReference: Type.Optional(Type.Text('What identifies the payout. Present once it is paid.', '0x5f1d2c3b')),
  failure: Type.Optional(Type.Text('Why it failed. Its amount is available again.', 'The wallet was closed.')),
  createdAt: Time,
  changedAt: Time,
})

/** The wire form of a settlement. */
export const toSettlementDetails = (settlement: Settlement): Static<typeof SettlementDetails> => {
  const { draftedBy: _author, approvedBy: _second, secondPerson: _rule, failingBy: _proposer, ...shown } = settlement
  return wire.fields({ ...shown, amount: wire.quote(settlement.amount) })
}
