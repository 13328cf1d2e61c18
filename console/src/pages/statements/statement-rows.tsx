import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { type DetailedStatement, type StatementRowAnswer, statements } from '../../../../src/operations/statements.ts'
import { isUnderWay, readStatementRows, type RowState } from '../../api/statements.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { DataTable } from '../../table/data-table.tsx'
import { columnsOf } from '../../table/field-columns.tsx'
import { language } from '../../language.ts'

const route = getRouteApi('/inside/statements/$id')

const kindWords: Readonly<Record<StatementRowAnswer['kind'], string>> = {
  booked: '',
  reversal: 'taken back',
  outgoing: 'money out',
  'outgoing-reversal': 'came back',
}

/** Where the money of a recorded row is, as a way to it. */
const WentTo = ({ row }: { readonly row: StatementRowAnswer }) => {
  const { went, merchantId, paymentId, orderId, requisiteId, amount } = row
  if (went === undefined) return null
  if (went === 'suspense')
    return (
      <Link to="/matching" search={{ requisiteId, amount: String(amount) }}>
        the inbox
      </Link>
    )
  if (paymentId === undefined) return <span className="quiet">{went}</span>
  return (
    <Link to="/payments" search={{ open: `${merchantId}/${paymentId}` }}>
      {orderId ?? 'a payment'}
      {went !== 'payment' && <span className="second">{went}</span>}
    </Link>
  )
}

const columns = columnsOf<StatementRowAnswer>(statements.operations.rows, [
  { field: 'line', rank: 1 },
  {
    name: 'Amount',
    width: 110,
    grows: 'content',
    align: 'end',
    rank: 0,
    cell: ({ kind, amount, currency }) => (
      <span className={kind === 'booked' || kind === 'outgoing-reversal' ? 'money-in' : ''}>
        {kind === 'booked' || kind === 'outgoing-reversal' ? '+' : '−'}
        <MoneyText amount={amount} currency={currency} />
        {kindWords[kind] !== '' && <span className="second">{kindWords[kind]}</span>}
      </span>
    ),
  },
  { field: 'state', rank: 0, width: 140 },
  { ...{ name: 'Went to', width: 140, grows: 0.6, rank: 1 }, cell: (row) => <WentTo row={row} /> },
  {
    ...{ name: 'Booked', width: 150, rank: 2 },
    cell: ({ bookedAt, bookedOn }) => <Moment at={bookedAt} day={bookedOn} />,
  },
  {
    name: 'Other side',
    width: 120,
    grows: 1,
    rank: 1,
    cell: ({ payerName, sender }) => (
      <>
        {payerName ?? <span className="quiet">{sender}</span>}
        {payerName !== undefined && sender !== undefined && <span className="second">{sender}</span>}
      </>
    ),
  },
  { name: 'Text', width: 140, grows: 1.6, rank: 3, cell: ({ text }) => <span title={text}>{text}</span> },
  {
    name: 'Reference',
    width: 100,
    grows: 0.7,
    rank: 4,
    cell: ({ bankReference, number }) => (
      <>
        <span className="quiet">{bankReference ?? number}</span>
        {bankReference !== undefined && number !== undefined && <span className="second">{number}</span>}
      </>
    ),
  },
])

const Count = ({ name, number, state }: { name: string; number: number; state?: RowState }) => {
  const { state: shown } = route.useSearch()
  const navigate = useNavigate({ from: '/statements/$id' })
  const content = (
    <>
      <span className="count-number">{number.toLocaleString(language)}</span>
      <span className="quiet small">{name}</span>
    </>
  )
  if (state === undefined) return <span className="count">{content}</span>
  const isShown = shown === state
  return (
    <button
      type="button"
      className="count"
      aria-pressed={isShown}
      onClick={() => void navigate({ search: isShown ? {} : { state }, replace: true })}
    >
      {content}
    </button>
  )
}

const Counts = ({ statement }: { readonly statement: DetailedStatement }) => {
  const { counts, state } = statement
  const isRecorded = state === 'imported' || state === 'withdrawing' || state === 'withdrawn'
  const ignored = counts.pending + counts.zero + counts.beforeOpening
  return (
    <div className="counts" role="group" aria-label="Numbers of rows">
      <Count name="rows" number={counts.rows} />
      <Count name={isRecorded ? 'recorded' : 'new'} number={counts.new} state={isRecorded ? 'recorded' : 'new'} />
      <Count name="already known" number={counts.alreadyKnown} state="already-known" />
      <Count name="may be duplicates" number={counts.possibleDuplicates} state="possible-duplicate" />
      <Count name="duplicates" number={counts.duplicates} state="duplicate" />
      {!isRecorded && counts.replacing > 0 && <Count name="in place of lone reports" number={counts.replacing} />}
      {counts.replaced > 0 && <Count name="sums replaced" number={counts.replaced} />}
      {counts.outgoing > 0 && <Count name="money out" number={counts.outgoing} />}
      {counts.reversals > 0 && <Count name="taken back" number={counts.reversals} />}
      {ignored > 0 && <Count name="left out" number={ignored} />}
      <Count name="faults" number={counts.errors} />
    </div>
  )
}

/** The rows of a statement that may move money, with how many are in which state. */
export const StatementRows = ({ statement }: { readonly statement: DetailedStatement }) => {
  const { id, state } = statement
  const { state: shown } = route.useSearch()
  const list = useInfiniteQuery({
    queryKey: ['statements', 'rows', id, shown, isUnderWay(statement) ? 'under way' : state],
    queryFn: ({ pageParam }) => readStatementRows(id, shown as RowState | undefined, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ nextAfter }) => nextAfter,
  })
  const { isFetchingNextPage, fetchNextPage } = list
  const onMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [isFetchingNextPage, fetchNextPage])
  const rows = list.data?.pages.flatMap((page) => page.rows)
  return (
    <>
      <Counts statement={statement} />
      <DataTable
        label="Rows"
        columns={columns}
        rows={rows}
        keyOf={({ position }) => String(position)}
        error={rows === undefined ? list.error : null}
        onRetry={() => void list.refetch()}
        empty={
          <EmptyState title={shown === undefined ? 'No row moves money' : 'No row is in this state'}>
            {shown === undefined
              ? 'The file has an account and balances, and no bookings.'
              : 'The number above shows all rows again.'}
          </EmptyState>
        }
        hasMore={list.hasNextPage}
        onMore={onMore}
        foot={<span>{rows === undefined ? 'Reading…' : `${rows.length.toLocaleString(language)} shown`}</span>}
      />
    </>
  )
}
