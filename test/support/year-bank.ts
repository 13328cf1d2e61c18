// The bank of the simulated year: it keeps its own books of every account, moves money out on its own, and gives
// statements by day that overlap, each account in a format of its own.
import assert from 'node:assert/strict'
import { day } from '../../src/domain/time.ts'
import type { Operator } from './operator.ts'
import type { TestService } from './service.ts'
import { camtOf, csvOf, exchangeOf, type Made, type MadeRow, uploadFile } from './statement-files.ts'

const formats: readonly ((made: Made) => string)[] = [exchangeOf, csvOf, camtOf]

/** What the texts of rows say that outgoing money was for. */
export const outgoingTexts = {
  fee: 'Комиссия банка',
  other: 'Аренда',
  settlement: 'Покупка USDT',
  'own-account': 'Между своими счетами',
} as const

type Account = {
  readonly number: string
  readonly render: (made: Made) => string
  readonly rows: MadeRow[]
  /** Since which day the next file has rows. */
  since: string
}

type Outgoing = { requisiteId: string; id: string; text?: string; proposals: readonly object[] }

/** Opens the accounts of requisites; `note` counts what happened. */
export const openYearBank = async (
  service: TestService,
  operator: Operator,
  requisiteIds: readonly string[],
  note: (what: string) => unknown,
) => {
  const today = (): string => new Date(service.clock.now).toISOString().slice(0, 10)
  const opening = 1_000_000_00n
  const accounts = new Map<string, Account>()
  let names = 0
  for (const [index, requisiteId] of requisiteIds.entries()) {
    const number = `4070281010000000${String(index).padStart(4, '0')}`
    const bound = await operator.call('PUT', '/statement-accounts', { number, requisiteIds: [requisiteId] })
    assert.equal(bound.status, 200, JSON.stringify(bound.body))
    const render = formats[index % formats.length] ?? camtOf
    accounts.set(requisiteId, { number, render, rows: [], since: today() })
    const set = { day: today(), balance: Number(opening / 100n), currency: 'rub', reason: 'contract' }
    assert.equal((await operator.call('PUT', `/requisites/${requisiteId}/opening-balance`, set)).status, 200)
  }
  const accountOf = (requisiteId: string): Account => {
    const account = accounts.get(requisiteId)
    assert.ok(account)
    return account
  }
  const sum = (rows: readonly MadeRow[]): bigint => rows.reduce((total, { minor }) => total + minor, opening)

  /** Books money on an account today. */
  const book = (requisiteId: string, minor: bigint, fields: Partial<MadeRow> = {}): void => {
    accountOf(requisiteId).rows.push({ minor, date: today(), reference: `DOC${++names}`, ...fields })
  }

  /** Imports the file of an account: all rows since the day before the last file. */
  const bring = async (requisiteId: string): Promise<void> => {
    const account = accountOf(requisiteId)
    const rows = account.rows.filter(({ date }) => date >= account.since)
    if (rows.length === 0) return
    const before = sum(account.rows.filter(({ date }) => date < account.since))
    const made = { account: account.number, opening: before, closing: sum(account.rows), closedOn: today(), rows }
    const fields: Record<string, string> = account.render === csvOf ? { requisiteId } : {}
    const uploaded = await uploadFile(service, account.render(made), fields)
    assert.ok(uploaded.status < 300, JSON.stringify(uploaded.body))
    assert.equal((await operator.call('POST', `/statements/${uploaded.body.id}/confirm`)).status, 200)
    await service.runJobs()
    account.since = new Date(service.clock.now - day).toISOString().slice(0, 10)
    note(`file ${uploaded.body.format}`)
  }

  const explain = async ({ requisiteId, id, text, proposals }: Outgoing): Promise<void> => {
    const path = `/outgoing/${requisiteId}/${id}`
    const named = Object.entries(outgoingTexts).find((entry) => entry[1] === text)?.[0]
    // Meanwhile the bank may have taken back what the payer was owed.
    const purpose = named ?? (proposals.length === 0 ? 'other' : undefined)
    const booked = purpose
      ? await operator.call('POST', `${path}/book`, { purpose, reason: text })
      : await operator.call('POST', `${path}/confirm`, {})
    // The other side of money between own accounts comes with its own file.
    if (booked.status === 409 && purpose === 'own-account') return
    assert.equal(booked.status, 200, JSON.stringify([text, proposals, booked.body]))
    note(`outgoing ${booked.body.purpose}`)
  }

  return {
    books: { get: (requisiteId: string): bigint => sum(accountOf(requisiteId).rows) },
    isUsed: (requisiteId: string): boolean => accountOf(requisiteId).rows.length > 0,
    book,
    bring,
    /** Says what all outgoing money was for that nobody has explained; gives how much is left. */
    explain: async (): Promise<number> => {
      const unexplained = async () => (await operator.get('/outgoing?state=unexplained&limit=500')).body.outgoing
      for (const each of await unexplained()) await explain(each as Outgoing)
      return (await unexplained()).length
    },
    /** Notes what every account holds at the end of the day. */
    close: async (): Promise<void> => {
      for (const [requisiteId, { rows }] of [...accounts].filter(([, each]) => each.rows.length > 0)) {
        const path = `/requisites/${requisiteId}/closing-balances/${today()}`
        const { status } = await operator.call('PUT', path, { balance: Number(sum(rows)) / 100, currency: 'rub' })
        assert.equal(status, 200)
      }
    },
  }
}
