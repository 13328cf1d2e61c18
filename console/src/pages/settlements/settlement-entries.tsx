import { quoteCurrency } from '../../../../src/domain/currency.ts'
import { account } from '../../../../src/domain/ledger.ts'
import { LedgerEntries } from '../../parts/ledger-entries.tsx'

type Props = {
  readonly settlement: {
    readonly merchantId: string
    readonly merchantName?: string | undefined
    readonly amount: number | string
  }
  readonly kind: 'hold' | 'payout' | 'release'
}

/** Between which of a merchant's accounts each step moves money, as `src/domain/settlement.ts` posts it. */
const ways = {
  hold: [account.available, account.held],
  payout: [account.held, account.paidOut],
  release: [account.held, account.available],
} as const

/** What a step of a settlement writes to the ledger. */
export const SettlementEntries = ({ settlement: { merchantId, merchantName, amount }, kind }: Props) => {
  const [debit, credit] = ways[kind]
  return (
    <LedgerEntries
      entries={[
        { kind, debit: debit(merchantId), credit: credit(merchantId), currency: quoteCurrency, amount: Number(amount) },
      ]}
      names={{ [merchantId]: merchantName }}
      empty=""
    />
  )
}
