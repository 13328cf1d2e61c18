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

/** From which of a merchant's accounts to which one, as `src/domain/settlement.ts` posts. */
const ways = {
  hold: [account.available, account.held],
  payout: [account.held, account.paidOut],
  release: [account.held, account.available],
} as const

/** What a step of a settlement writes into the ledger. */
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
