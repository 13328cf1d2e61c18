import { type Static, Type } from '../../operations/schema.ts'
import { csvLine } from '../../rules/values/csv.ts'
import { isServiceBook, postingKinds } from '../../rules/money/ledger.ts'
import { day } from '../../rules/time.ts'
import { exportJournal } from '../../engine/ledger/export-journal.ts'
import { getBalances, getTrialBalance, listJournalPage } from '../../engine/ledger/read.ts'
import { sendAccountStatement, StatementFile, StatementQuery } from '../answers/account-statement.ts'
import { earliestTime, ExactSum, Id, readTime, Time, wire } from '../../operations/fields.ts'
import { ownersOf, readPage, sendCsvLines } from '../routes/lists.ts'
import { Csv, ModeQuery, OwnerQuery, pageOf, PageQuery } from '../../operations/lists.ts'
import { routesForOperators } from '../routes/routes.ts'
import { readSpan, SpanQuery, untilHeader, untilHeaders } from '../routes/spans.ts'
import { accountNames, ofAnyMerchant, OrderOf, ofRequisite } from '../../operations/operator-fields.ts'

const BalancesAnswer = Type.Object({
  balances: Type.Array(
    Type.Object({
      account: Type.String({ examples: ['suspense'] }),
      currency: Type.String(),
      balance: ExactSum,
      ...ofAnyMerchant('Whose account it is.'),
      requisiteId: Type.Optional(Id),
      requisite: ofRequisite.requisite,
    }),
  ),
})

export type BalancesAnswer = Static<typeof BalancesAnswer>

/** The requisite or merchant that an account names. */
const ownerOf = (account: string): { requisiteId?: string; merchantId?: string } => {
  const [kind, id = ''] = account.split(':')
  if (kind === 'bank') return { requisiteId: id }
  return kind === 'merchant' ? { merchantId: id } : {}
}

/** Balances, account by account. */
export const balancesRoute = routesForOperators().get('/ledger/balances', 'read', {
  id: 'listBalances',
  summary: 'List the balances of the ledger',
  description:
    'Debits minus credits: what is owed to a merchant is negative. The balances of a currency add up to zero.',
  query: OwnerQuery,
  answer: BalancesAnswer,
  exports: 'balances',
  handle: async (context, request) => ({
    balances: (await getBalances(context, ownersOf(request.query))).map(({ account, currency, balance }) => ({
      account,
      currency,
      balance: wire.sum(balance, currency),
      ...ownerOf(account),
    })),
  }),
})

const headers = [
  ...['book', 'id', 'transaction', 'postedAt', 'kind', 'debit', 'credit', 'currency', 'amount'],
  ...['payment', 'transfer', 'document'],
]

async function* journalLines(rows: ReturnType<typeof exportJournal>): AsyncGenerator<string> {
  yield csvLine(headers)
  for await (const row of rows) {
    const { merchantId, id, transactionId, kind, debitAccount, creditAccount, currency } = row
    const amount = wire.sum(row.amount, currency)
    yield csvLine([
      ...[merchantId, id, transactionId, wire.time(row.postedAt), kind, debitAccount, creditAccount],
      ...[currency, amount, row.paymentId, row.transferId, row.documentId],
    ])
  }
}

const TrialBalanceAnswer = Type.Object({
  balanced: Type.Boolean(),
  rows: Type.Array(
    Type.Object({
      kind: Type.String({ examples: ['bank'] }),
      currency: Type.String(),
      accounts: Type.Integer(),
      debit: Type.Text('Exact decimal text.', '5000.00'),
      credit: Type.String({ examples: ['0.00'] }),
    }),
  ),
  totals: Type.Array(
    Type.Object({ currency: Type.String(), debit: Type.Text('Exact decimal text.', '5000.00'), credit: Type.String() }),
    { description: 'Sums of the rows of each currency: all debit balances, and all credit balances.' },
  ),
})

/** Sums of the ledger by kind of account and currency. */
export type TrialBalanceAnswer = Static<typeof TrialBalanceAnswer>

/** Trial balance, journal, and the statement of a merchant's account. */
export const journalRoutes = routesForOperators()

journalRoutes.get('/ledger/trial-balance', 'read', {
  id: 'getTrialBalance',
  summary: 'Read the trial balance',
  description: 'Positive and negative balances by kind of account; debits and credits of a currency are equal.',
  query: ModeQuery,
  answer: TrialBalanceAnswer,
  exports: 'rows',
  handle: async (context, { query: { mode = 'live' } }) => {
    const sums = await getTrialBalance(context, mode)
    const totals = [...Map.groupBy(sums, ({ currency }) => currency)].map(([currency, own]) => ({
      currency,
      debit: own.reduce((total, { debit }) => total + debit, 0n),
      credit: own.reduce((total, { credit }) => total + credit, 0n),
    }))
    return {
      balanced: totals.every(({ debit, credit }) => debit === credit),
      rows: sums.map(({ kind, currency, accounts, debit, credit }) => ({
        kind,
        currency,
        accounts: Number(accounts),
        debit: wire.sum(debit, currency),
        credit: wire.sum(credit, currency),
      })),
      totals: totals.map(({ currency, debit, credit }) => ({
        currency,
        debit: wire.sum(debit, currency),
        credit: wire.sum(credit, currency),
      })),
    }
  },
})

const LedgerEntryAnswer = Type.Titled('LedgerEntry', {
  merchantId: Type.Optional(Id, 'The book. Absent: that of the service.'),
  merchantName: ofAnyMerchant().merchantName,
  id: Id,
  transactionId: Id,
  kind: Type.OneOf(postingKinds),
  debit: Type.String({ examples: ['suspense'] }),
  credit: Type.String({ examples: ['fx:rub'] }),
  ...accountNames,
  currency: Type.String(),
  amount: Type.Number(),
  paymentId: Type.Optional(Id),
  orderId: OrderOf,
  transferId: Type.Optional(Id),
  documentId: Type.Optional(Id, 'The settlement, decision, reversal or adjustment.'),
  postedAt: Time,
})

/** A posting of the ledger. */
export type LedgerEntryAnswer = Static<typeof LedgerEntryAnswer>

/** How far back the journal is searched for an account or a kind if no start is given. */
const usualSpanMs = 31 * day

journalRoutes.get('/ledger/journal', 'read', {
  id: 'listJournal',
  summary: 'List the entries of the ledger',
  description:
    'Newest first, of all books of a mode or of one. With `account` or `kind` but without `from`: only the last 31 days.',
  query: {
    ...PageQuery,
    ...OwnerQuery,
    account: Type.Optional(
      Type.Printable(120, { description: 'Only entries that debit or credit this account.', examples: ['suspense'] }),
    ),
    kind: Type.Optional(Type.OneOf(postingKinds, 'Only entries of this kind.')),
    from: Type.Optional(Time, 'Posted at this time or later.'),
    to: Type.Optional(Time, 'Posted before this time.'),
  },
  answer: pageOf('entries', LedgerEntryAnswer),
  handle: (context, { query }) => {
    const { account = null, kind = null, from, to } = query
    const now = context.clock()
    const isNarrow = account !== null || kind !== null
    const filter = {
      ...ownersOf(query),
      account,
      kind,
      from: from === undefined ? (isNarrow ? now - usualSpanMs : earliestTime) : readTime(from, 'from'),
      to: to === undefined ? now + day : readTime(to, 'to'),
    }
    return readPage(
      'entries',
      query,
      (span) => listJournalPage(context, filter, span),
      (row) =>
        wire.fields({
          ...{ id: row.id, transactionId: row.transactionId, kind: row.kind },
          merchantId: isServiceBook(row.merchantId) ? null : row.merchantId,
          ...{ debit: row.debitAccount, credit: row.creditAccount, currency: row.currency },
          amount: wire.money(row.amount, row.currency),
          ...{ paymentId: row.paymentId, transferId: row.transferId, documentId: row.documentId },
          postedAt: wire.time(row.postedAt),
        }),
    )
  },
})

journalRoutes.get('/ledger/journal.csv', 'read', {
  id: 'exportJournal',
  summary: 'Export the journal as CSV',
  description:
    'Book by book, each in posting order. An exported span never changes: the last two minutes are excluded.',
  query: { ...SpanQuery, ...OwnerQuery },
  answerContent: { ...Csv, headers: untilHeaders },
  handle: (context, request, reply) => {
    const span = readSpan(request.query, context.clock())
    const rows = exportJournal(context, { ...ownersOf(request.query), ...span })
    const until = wire.time(span.to)
    void reply.header(untilHeader, until)
    return sendCsvLines(reply, `journal-until-${until.replaceAll(':', '')}`, journalLines(rows))
  },
})

journalRoutes.get('/merchants/:id/statement', 'read', {
  id: 'getMerchantStatement',
  summary: "Export a merchant's account statement",
  description: 'As CSV or camt.053.',
  query: StatementQuery,
  answerContent: StatementFile,
  handle: (context, request, reply) => sendAccountStatement(context, reply, request.params.id, request.query),
})
