import { settlementMovements } from '../../../../src/rules/money/settlement.ts'
import { LedgerEntries } from '../../parts/ledger-entries.tsx'

type Props = {
  readonly settlement: {
    readonly merchantId: string
    readonly merchantName?: string | undefined
    readonly currency: string
    readonly amount: number | string
  }
  readonly kind: keyof typeof settlementMovements
}

/** What a step of a settlement writes to the ledger. */
export const SettlementEntries = ({ settlement: { merchantId, merchantName, currency, amount }, kind }: Props) => {
  const [debit, credit] = settlementMovements[kind]
  return (
    <LedgerEntries
      entries={[{ kind, debit: debit(merchantId), credit: credit(merchantId), currency, amount: Number(amount) }]}
      names={{ [merchantId]: merchantName }}
      empty=""
    />
  )
}
