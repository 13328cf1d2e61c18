// The bank of the simulated year. It keeps its own books of every account, moves money out, pushes incoming money to a
// signed feed, and provides statements by day that overlap, in another format each month.
import assert from 'node:assert/strict'
import { day } from '../../src/rules/time.ts'
import { runImports } from '../../src/process/jobs/jobs.ts'
import { openOperator, type Operator } from './operator.ts'
import type { TestService } from './service.ts'
import { camtOf, csvOf, exchangeOf, type Made, type MadeRow, mt940Of, uploadFile } from './statement-files.ts'
import type { YearBooks, YearPayment } from './year-books.ts'

const formats: readonly ((made: Made) => string)[] = [exchangeOf, csvOf, camtOf, mt940Of]
const monthMs = 30 * day

/** The texts of rows for outgoing money, each with the account in which the money is then booked. */
const purposes = {
  fee: { text: 'Комиссия банка', account: 'bank-fees' },
  other: { text: 'Аренда', account: 'expenses' },
  settlement: { text: 'Покупка USDT', account: 'fx:rub' },
  'own-account': { text: 'Между своими счетами', account: 'ignored' },
} as const

/** Why the bank moves money out, other than reversals and refunds. */
export const spendings = ['fee', 'other', 'settlement', 'own-account'] as const

type Row = MadeRow & { isInLedger: boolean }

type Account = {
  readonly number: string
  readonly index: number
  readonly rows: Row[]
  balance: bigint
  /** The first day of the next file, and the balance before it. */
  since: string
  before: bigint
  /** Whether money moved since the bank last stated a balance. */
  hasMoved: boolean
}

type Outgoing = { requisiteId: string; id: string; amount: number; text?: string }

const bankOf = (requisiteId: string): string => `bank:${requisiteId}`

/** Opens the accounts of requisites; `note` counts what happened. */
export const openYearBank = async (
  service: TestService,
  operator: Operator,
  books: YearBooks,
  requisiteIds: readonly string[],
  note: (what: string) => unknown,
) => {
  const startedAt = service.clock.now
  const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10)
  const today = (): string => dayOf(service.clock.now)
  const opening = 1_000_000_00n
  const accounts = new Map<string, Account>()
  /** Payments whose payers got their money back before anybody decided that, by the text of the row. */
  const returned = new Map<string, YearPayment>()
  let names = 0
  /** Closing balances since the last evening. */
  let closings = 0
  for (const [index, requisiteId] of requisiteIds.entries()) {
    const number = `4070281010000000${String(index).padStart(4, '0')}`
    const bound = await operator.call('PUT', '/statement-accounts', {
      accounts: [{ number, requisiteIds: [requisiteId] }],
    })
    assert.equal(bound.status, 200, JSON.stringify(bound.body))
    const moved = { balance: opening, since: today(), before: opening, hasMoved: false }
    accounts.set(requisiteId, { number, index, rows: [], ...moved })
    const set = { requisiteId, day: today(), balance: Number(opening / 100n), currency: 'rub' }
    const opened = await operator.call('PUT', '/ledger/opening-balances', { balances: [set], reason: 'contract' })
    assert.equal(opened.status, 200)
    books.post(bankOf(requisiteId), 'opening', opening)
  }
  const accountOf = (requisiteId: string): Account => {
    const account = accounts.get(requisiteId)
    assert.ok(account)
    return account
  }

  /** Books money on an account today; with `isInLedger` it is also reported otherwise than by the file. */
  const book = (requisiteId: string, minor: bigint, isInLedger: boolean, fields: Partial<MadeRow> = {}): void => {
    const account = accountOf(requisiteId)
    account.rows.push({ minor, date: today(), reference: `DOC${++names}`, isInLedger, ...fields })
    account.balance += minor
    account.hasMoved = true
  }

  /** The rows of a file are in the ledger from now on. */
  const record = (requisiteId: string, rows: readonly Row[]): void => {
    for (const row of rows.filter(({ isInLedger }) => !isInLedger)) {
      row.isInLedger = true
      if (row.minor < 0n) books.post('unexplained', bankOf(requisiteId), -row.minor)
      else books.post(bankOf(requisiteId), 'suspense', row.minor)
    }
  }

  /** The next file of an account: its rows since the day before the last file. */
  const makeFile = (account: Account): Made => {
    const rows = account.rows.filter(({ date }) => date >= account.since)
    const balances = { opening: account.before, closing: account.balance }
    return { account: account.number, ...balances, openedOn: account.since, closedOn: today(), rows }
  }

  /** Leaves out of later files what a bank never changes again. */
  const turnPage = (account: Account): void => {
    const since = dayOf(service.clock.now - day)
    for (const { minor } of account.rows.filter(({ date }) => date >= account.since && date < since))
      account.before += minor
    account.since = since
  }

  /** Imports the next file of an account; with `restart` the service dies between confirmation and import. */
  const bring = async (requisiteId: string, restart = false): Promise<void> => {
    const account = accountOf(requisiteId)
    const made = makeFile(account)
    if (made.rows.length === 0) return
    const month = Math.floor((service.clock.now - startedAt) / monthMs)
    const render = formats[(account.index + month) % formats.length] ?? camtOf
    const uploaded = await uploadFile(service, render(made), render === csvOf ? { requisiteId } : {})
    const { id, format, state } = uploaded.body
    // A table with nothing new equals the file of the day before.
    const isSame = state === 'imported'
    assert.equal(uploaded.status, isSame ? 200 : 201, JSON.stringify(uploaded.body))
    if (isSame) return void note('the same file again')
    assert.equal((await operator.call('POST', `/statements/${id}/confirm`)).status, 200)
    if (restart) await service.restart()
    while ((await runImports(service.context)) > 0);
    record(requisiteId, account.rows)
    turnPage(account)
    // A table has no closing balance, because it does not name its last day.
    account.hasMoved = render === csvOf
    if (!account.hasMoved) {
      closings++
      note('closing of a file')
    }
    note(`file ${format}`)
  }

  const explain = async ({ requisiteId, id, amount, text = '' }: Outgoing): Promise<void> => {
    const minor = BigInt(Math.round(amount * 100))
    const path = `/outgoing/${requisiteId}/${id}`
    const payment = returned.get(text)
    if (payment && payment.owed === minor) {
      const confirmAs = (by: Operator) => by.call('POST', `${path}/confirm`, {})
      let { body } = await confirmAs(operator)
      // The bank names the order only: beyond the bound, that proves to one person alone no refund.
      if (body.state === 'unexplained') body = (await confirmAs(openOperator(service, 'boris'))).body
      assert.deepEqual([body.state, body.purpose], ['booked', 'refund'], JSON.stringify(body))
      books.post(`overpayment:${payment.id}`, 'unexplained', minor)
      payment.owed = 0n
      return void note('outgoing refund')
    }
    // After the refund, the bank may have taken back the money that was owed.
    const purpose = spendings.find((each) => purposes[each].text === text) ?? 'other'
    const bookAs = (by: Operator) => by.call('POST', `${path}/book`, { purpose, reason: text })
    let booked = await bookAs(operator)
    // Beyond the bound, another one books what this one proposes, or what came in by a file that this one confirmed.
    if (booked.body.proposedBy !== undefined || booked.body.code === 'second_person_required') {
      booked = await bookAs(openOperator(service, 'boris'))
      note('outgoing agreed')
    }
    // The incoming half of a transfer between own accounts is in another file.
    if (booked.status === 409 && purpose === 'own-account') return void note('own-account too early')
    assert.equal(booked.body.state, 'booked', JSON.stringify([text, booked.body]))
    books.post(purposes[purpose].account, 'unexplained', minor)
    if (purpose === 'own-account') books.post('suspense', 'ignored', minor)
    note(`outgoing ${purpose}`)
  }

  return {
    book,
    bring,
    /** The bank moves money out for this purpose; between own accounts it arrives on `other`. */
    spend: (requisiteId: string, minor: bigint, purpose: (typeof spendings)[number], other: string): void => {
      const { text } = purposes[purpose]
      book(requisiteId, -minor, false, { text })
      if (purpose === 'own-account') book(other, minor, false, { text })
    },
    /** A payer gets back what is owed, before anybody has decided that. */
    giveBack: (requisiteId: string, payment: YearPayment): void => {
      const text = `Возврат ${payment.orderId}`
      returned.set(text, payment)
      book(requisiteId, -payment.owed, false, { text })
    },
    isReturned: ({ orderId }: YearPayment): boolean => returned.has(`Возврат ${orderId}`),
    /** Accounts with rows that only a file reports. */
    unreported: (): string[] =>
      [...accounts].filter(([, { rows }]) => rows.some(({ isInLedger }) => !isInLedger)).map(([id]) => id),
    /** Accounts that have rows. */
    used: (): string[] => [...accounts].filter(([, { rows }]) => rows.length > 0).map(([id]) => id),
    /** Books all unexplained outgoing money to its purpose; returns how much is left. */
    explain: async (): Promise<number> => {
      const unexplained = async (): Promise<Outgoing[]> =>
        (await operator.get('/outgoing?state=unexplained&limit=500')).body.outgoing
      for (const each of await unexplained()) await explain(each)
      return Number(books.balanceOf('unexplained', 'rub'))
    },
    /**
     * An operator enters the balances of accounts that moved and whose files did not state them; returns how many
     * accounts were closed today.
     */
    close: async (): Promise<number> => {
      for (const [requisiteId, account] of accounts) {
        if (!account.hasMoved) continue
        const path = `/requisites/${requisiteId}/closing-balances/${today()}`
        const { status } = await operator.call('PUT', path, { balance: Number(account.balance) / 100, currency: 'rub' })
        assert.equal(status, 200)
        account.hasMoved = false
        closings++
      }
      const closed = closings
      closings = 0
      return closed
    },
    /** What an account holds according to the bank, and how much of it no file has reported, in rub. */
    holds: (requisiteId: string): { balance: number; unreported: number } => {
      const { balance, rows } = accountOf(requisiteId)
      const missing = rows.reduce((sum, row) => (row.isInLedger ? sum : sum + row.minor), 0n)
      return { balance: Number(balance) / 100, unreported: Number(missing) / 100 }
    },
  }
}

export type YearBank = Awaited<ReturnType<typeof openYearBank>>
