import { csvLine } from '../../rules/values/csv.ts'
import { isServiceBook } from '../../rules/money/ledger.ts'
import { day } from '../../rules/time.ts'
import { listAgedMoney } from '../../engine/attention/read.ts'
import { exportJournal } from '../../engine/ledger/export-journal.ts'
import { getBalances, getTrialBalance, listJournalPage, readUnproven } from '../../engine/ledger/read.ts'
import { sendAccountStatement, StatementFile, StatementQuery } from '../answers/account-statement.ts'
import { ReportFile, ReportQuery, sendReport } from '../answers/merchant-report.ts'
import { earliestTime, readTime, wire } from '../../operations/fields.ts'
import { ownersOf, readPage, sendCsvLines } from '../routes/lists.ts'
import { Csv, OwnerQuery } from '../../operations/lists.ts'
import { balances, journal } from '../../operations/ledger.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { routesForOperators } from '../routes/routes.ts'
import { readSpan, SpanQuery, untilHeader, untilHeaders } from '../routes/spans.ts'

/** The requisite or merchant that an account names. */
const ownerOf = (account: string): { requisiteId?: string; merchantId?: string } => {
  const [kind, id = ''] = account.split(':')
  if (kind === 'bank') return { requisiteId: id }
  return kind === 'merchant' ? { merchantId: id } : {}
}

const unlessZero = (amount: bigint): bigint | null => (amount === 0n ? null : amount)

/** Balances, account by account. */
export const balancesRoute = bindOperations(balances, {
  balances: async (context, request) => {
    const rows = (await getBalances(context, ownersOf(request.query))).map((row) => {
      return { ...row, ...ownerOf(row.account) }
    })
    const unproven = await readUnproven(
      context,
      rows.flatMap(({ merchantId }) => merchantId ?? []),
    )
    return {
      balances: rows.map((row) => {
        const { merchantId = '', account, currency } = row
        if (!account.endsWith(':available')) return row
        const { amount = 0n, waiting = 0n } = unproven(merchantId, currency) ?? {}
        return { ...row, unproven: unlessZero(amount), waiting: unlessZero(waiting) }
      }),
    }
  },
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

/** Trial balance and journal. */
export const journalRoutes = bindOperations(journal, {
  'trial-balance': async (context, { query: { mode = 'live' } }) => {
    const sums = await getTrialBalance(context, mode)
    const totals = [...Map.groupBy(sums, ({ currency }) => currency)].map(([currency, own]) => ({
      currency,
      debit: own.reduce((total, { debit }) => total + debit, 0n),
      credit: own.reduce((total, { credit }) => total + credit, 0n),
    }))
    return {
      balanced: totals.every(({ debit, credit }) => debit === credit),
      rows: sums,
      totals,
    }
  },
  ageing: async (context, { query: { mode = 'live' } }) => ({ rows: await listAgedMoney(context, mode) }),
  journal: (context, { query }) => {
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
      ({ merchantId, debitAccount: debit, creditAccount: credit, ...row }) => ({
        ...{ ...row, debit, credit },
        merchantId: isServiceBook(merchantId) ? null : merchantId,
      }),
    )
  },
})

/** How far back the journal is searched for an account or a kind if no start is given. */
const usualSpanMs = 31 * day

/** The journal as a file, and the statement of a merchant's account. */
export const journalFiles = routesForOperators()

journalFiles.get('/ledger/journal.csv', 'read', {
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

journalFiles.get('/merchants/:id/statement', 'read', {
  id: 'getMerchantStatement',
  summary: "Export a merchant's account statement",
  description: 'As CSV or camt.053.',
  query: StatementQuery,
  answerContent: StatementFile,
  handle: (context, request, reply) => sendAccountStatement(context, reply, request.params.id, request.query),
})

journalFiles.get('/merchants/:id/report', 'read', {
  id: 'getMerchantReport',
  summary: 'Report a day or a month of a merchant',
  description:
    'As a page or CSV: the balance at the beginning and at the end, and the payments, fees, refunds, reversals, settlements and adjustments that have changed it, from the ledger.',
  query: ReportQuery,
  answerContent: ReportFile,
  handle: (context, request, reply) => sendReport(context, reply, request.params.id, request.query),
})
