import { Link, useNavigate } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { postingKinds } from '../../../../src/rules/money/ledger.ts'
import { LedgerEntryAnswer } from '../../../../src/operations/ledger.ts'
import { merchants } from '../../api/merchants.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { modeFilter } from '../../parts/mode-choice.tsx'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { fromWithin, spans } from '../../table/within.ts'
import { LedgerViews } from './ledger-views.tsx'
import { say, sayAccount } from '../../language.ts'

const shortOf = (account: string): string =>
  sayAccount(account.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-([0-9a-f]{12})/, '…$1').split(':'))

const columns = columnsOf<LedgerEntryAnswer>(LedgerEntryAnswer, [
  { field: 'postedAt', rank: 680 },
  { field: 'kind', rank: 560 },
  {
    name: 'Entry',
    width: 100,
    grows: 1,
    insteadOf: 'Credit',
    cell: ({ kind, debit, debitName, credit, creditName }) => (
      <>
        {shortOf(debitName ?? debit)}
        <span className="second">
          {say(kind)} → {shortOf(creditName ?? credit)}
        </span>
      </>
    ),
  },
  {
    name: 'Debit',
    width: 120,
    grows: 1.2,
    rank: 560,
    cell: ({ debit, debitName }) => <span title={debit}>{shortOf(debitName ?? debit)}</span>,
  },
  {
    name: 'Credit',
    width: 120,
    grows: 1.2,
    rank: 560,
    cell: ({ credit, creditName }) => <span title={credit}>{shortOf(creditName ?? credit)}</span>,
  },
  'amount',
  {
    name: 'Order',
    width: 90,
    grows: 0.8,
    rank: 820,
    cell: ({ merchantId, paymentId, orderId }) =>
      merchantId === undefined || paymentId === undefined ? null : (
        <Link to="/payments" search={{ open: `${merchantId}/${paymentId}` }}>
          {orderId ?? 'payment'}
        </Link>
      ),
  },
  { field: 'merchantId', name: 'Book', width: 90, grows: 0.7, rank: 980 },
])

/** Every entry of the ledger, the newest first. */
export const Journal = () => {
  const { data = [] } = useQuery(merchants)
  const navigate = useNavigate()
  return (
    <ListPage<LedgerEntryAnswer>
      title="Ledger"
      path="/ledger/journal"
      rowsName="entries"
      columns={columns}
      keyOf={({ merchantId, id }) => `${merchantId ?? ''}/${id}`}
      toQuery={fromWithin}
      toExport={({ from, to, merchantId, mode }) => ({ from, to, merchantId, mode })}
      onOpen={({ debit }) => void navigate({ to: '/ledger/journal', search: { account: debit }, replace: true })}
      filters={[
        modeFilter,
        { name: 'kind', label: 'Any kind', options: postingKinds, searchable: true, width: 130 },
        { name: 'within', label: 'Any time', options: spans, width: 132 },
        {
          name: 'merchantId',
          label: 'Any book',
          options: data.map(({ id, name }) => ({ value: id, label: name })),
          searchable: true,
          width: 160,
        },
        { name: 'account', label: 'Account, such as suspense', width: 280 },
      ]}
      actions={<LedgerViews own="/ledger/journal" />}
      empty={
        <EmptyState title="The journal is empty">
          Each movement of money writes entries here. Entries are never changed, only reversed.
        </EmptyState>
      }
      foot="The CSV has the whole span of its book, in posting order"
    />
  )
}
