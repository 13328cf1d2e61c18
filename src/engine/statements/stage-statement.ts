import type { Context } from '../context.ts'
import { type ListedTime, spanOf } from '../../rules/values/booked-time.ts'
import {
  bookedInstant,
  FaultList,
  FileFault,
  type FileSink,
  type GivenMapping,
  type LineFault,
  readStatement,
  type SkippedRow,
  type StatementBalance,
  type StatementRow,
  type StatementShape,
  withDayAtAccount,
} from 'bank-files'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import { day, type Instant, minute } from '../../rules/time.ts'
import { findBank } from '../../rules/statements/statement.ts'
import { noCounts, type StatementAccount, type StatementCounts } from '../../rules/statements/statement-import.ts'
import { listOpenings, type Opening } from '../ledger/reconciliation/set-opening-balance.ts'
import { hashText, startHash } from '../../secrets/hashes.ts'
import { AccountTotals } from '../../rules/statements/account-totals.ts'
import { type CheckedRow, fingerprintRow } from './fingerprint-row.ts'
import { checkRow } from '../../rules/statements/check-row.ts'
import { bankIssuers } from '../requisites/bank-issuers.ts'
import type { countRecordedElsewhere } from './duplicates/store.ts'
import { previewRows } from './preview-rows.ts'
import { listSharing } from '../requisites/read.ts'
import { nameOfRequisite, resolveAccount } from './resolve-account.ts'
import { sealDetails } from './row-details.ts'
import { deleteRows, deleteStatement, insertRows, insertStatement } from './store.ts'

export type StatementUpload = {
  readonly pieces: AsyncIterable<Uint8Array>
  readonly fileName: string
  readonly sourceId: string | null
  /** Who alone has changed the source as it reads the file, if nobody has approved that. */
  readonly sourceChangedBy: string | null
  /** The requisite for an account whose number no requisite has. */
  readonly requisiteId: string | null
  /** Whether that is only for a file that names no account: nobody has looked at the one that it names. */
  readonly onlyUnnamed?: true
  readonly given: GivenMapping
  readonly by: string
}

/** A file that was read into the stage; nothing of it is visible anywhere before it is finished. */
export type StagedStatement = Awaited<ReturnType<typeof stageStatement>>

const rowsAtOnce = 1000
const maxRows = 2_000_000

class Stage implements FileSink {
  readonly #context: Context
  readonly #id: string
  readonly #sourceId: string | null
  readonly #chosen: string | null
  readonly #resolve: ReturnType<typeof resolveAccount>
  readonly #faults = new FaultList()
  readonly #totals = new AccountTotals()
  readonly #counts: { -readonly [K in keyof StatementCounts]: number } = { ...noCounts }
  /** Opening balances for which the file has earlier rows. */
  readonly #passedBefore = new Set<string>()
  readonly #openings = new Map<string, Opening | null>()
  #channel = ''
  #read: (StatementRow | StatementBalance)[] = []
  #checked: CheckedRow[] = []
  #position = 0
  readonly #listed = new Map<string, ListedTime>()
  readonly #offsets = new Map<string, number>()
  #incoming = 0
  /** How many incoming rows were recorded for another requisite, and the reason to refuse the file if they are many. */
  #elsewhere = { rows: 0, reason: '' }

  constructor(context: Context, id: string, { requisiteId, sourceId, onlyUnnamed }: StatementUpload) {
    this.#context = context
    this.#id = id
    this.#sourceId = sourceId
    this.#chosen = requisiteId
    this.#resolve = resolveAccount(context, requisiteId, onlyUnnamed)
  }

  begin({ channel }: StatementShape): void {
    this.#channel = channel
  }

  row(row: StatementRow): void {
    this.#read.push(row)
  }

  skip(row: SkippedRow): void {
    if (row !== 'notes') this.#counts.rows++
    this.#counts[row]++
  }

  balance(balance: StatementBalance): void {
    this.#read.push(balance)
  }

  fault(line: number, reason: string): void {
    this.#faults.add(line, reason)
  }

  async flush(): Promise<void> {
    const read = this.#read
    this.#read = []
    for (const each of read) {
      if ('direction' in each) await this.#takeRow(each)
      else await this.#takeBalance(each)
    }
    if (this.#checked.length >= rowsAtOnce) await this.#insert()
  }

  async end(): Promise<void> {
    await this.#insert()
    if (this.#faults.list.length === 0) await this.#checkChoice()
    if (this.#faults.list.length > 0) return
    const statement = { statementId: this.#id, accounts: this.result.accounts }
    const counts = await previewRows(this.#context, statement, (elsewhere) => this.#noteElsewhere(elsewhere))
    Object.assign(this.#counts, counts)
    const { rows, reason } = this.#elsewhere
    if (rows * 2 >= Math.max(1, this.#incoming)) this.fault(1, reason)
  }

  get result() {
    const accounts = this.#totals.accounts.map((account): StatementAccount => {
      const listed = this.#listed.get(account.requisiteId)
      const offsetMs = this.#offsets.get(account.requisiteId)
      return listed && offsetMs !== undefined ? { ...account, listed, offsetMs } : account
    })
    const passedBefore = [...this.#passedBefore].toSorted()
    return { accounts, names: this.#totals.names, counts: this.#counts, faults: this.#faults.list, passedBefore }
  }

  #listRow({ booked }: StatementRow, requisiteId: string, bookedAt: Instant): void {
    const from = booked.length === 10 ? bookedAt + 1 - day : bookedAt
    this.#listed.set(requisiteId, spanOf(this.#listed.get(requisiteId), { from, to: bookedAt }))
  }

  /** If the file states its period, days without rows are listed, too. */
  #listDays({ id, limits }: Requisite, { openedOn, closedOn }: StatementBalance): void {
    const listed = this.#listed.get(id)
    if (!listed) return
    const [first, last] = [openedOn, closedOn].map((date) => bookedInstant(date ?? '', limits.utcOffsetMinutes))
    const from = Math.min(listed.from, first === undefined ? listed.from : first + 1 - day)
    this.#listed.set(id, { from, to: Math.max(listed.to, last ?? listed.to) })
  }

  async #find(
    line: number,
    account: string | null,
    currency: string | null,
  ): Promise<{ readonly requisite: Requisite; readonly isChosen: boolean } | undefined> {
    const resolved = await this.#resolve(account, currency)
    if ('requisite' in resolved) return resolved
    this.#faults.addOnce(line, resolved.reason)
    return undefined
  }

  async #takeRow(read: StatementRow): Promise<void> {
    this.#counts.rows++
    const found = await this.#find(read.line, read.account, read.currency)
    if (!found) return
    const row = withDayAtAccount(read, found.requisite.limits.utcOffsetMinutes)
    // Everything about a pending row may still change.
    if (row.kind === 'pending') {
      this.#counts.pending++
      return
    }
    const money = checkRow(row, found.requisite, this.#context.clock())
    if (typeof money === 'string') return this.fault(row.line, money)
    this.#totals.addRow(row, money.amount)
    this.#listRow(row, found.requisite.id, money.bookedAt)
    this.#offsets.set(found.requisite.id, found.requisite.limits.utcOffsetMinutes * minute)
    const opening = await this.#openingOf(found.requisite.id)
    if (opening && money.bookedAt < opening.beginsAt) {
      this.#counts.beforeOpening++
      this.#passedBefore.add(`${found.requisite.id} ${opening.day}`)
      return
    }
    const file = { channel: this.#channel, sourceId: this.#sourceId, chosen: found.isChosen }
    const checked = fingerprintRow(row, found.requisite, money, file)
    if (checked.kind === 'reversal') this.#counts.reversals++
    else if (checked.kind === 'booked') this.#incoming++
    else this.#counts.outgoing++
    this.#checked.push(checked)
  }

  async #openingOf(requisiteId: string): Promise<Opening | null> {
    const known = this.#openings.get(requisiteId)
    if (known !== undefined) return known
    const opening = (await listOpenings(this.#context, [requisiteId])).get(requisiteId) ?? null
    this.#openings.set(requisiteId, opening)
    return opening
  }

  async #takeBalance(balance: StatementBalance): Promise<void> {
    const found = await this.#find(balance.line, balance.account, balance.currency)
    if (!found) return
    const { currency } = found.requisite
    if (balance.currency !== null && balance.currency !== currency)
      return this.fault(
        balance.line,
        `The balance is in ${balance.currency}, but its requisite is in ${currency}: choose a requisite in ${balance.currency}.`,
      )
    this.#listDays(found.requisite, balance)
    const contradiction = this.#totals.addBalance(balance, found.requisite)
    // If a row could not be read, its money is missing from the sums.
    if (contradiction !== undefined && this.#faults.list.length === 0) this.fault(balance.line, contradiction)
  }

  async #insert(): Promise<void> {
    const rows = this.#checked
    this.#checked = []
    for (let from = 0; from < rows.length; from += rowsAtOnce)
      await this.#insertSet(rows.slice(from, from + rowsAtOnce))
  }

  async #insertSet(rows: readonly CheckedRow[]): Promise<void> {
    const first = this.#position + 1
    this.#position += rows.length
    if (this.#position > maxRows)
      throw new FileFault(rows[0]?.line ?? 0, `The file has more than ${maxRows} rows: export fewer days at a time.`)
    const banks = await this.#context.catalog.get(bankIssuers)
    await this.#context.query(insertRows, {
      statementId: this.#id,
      rows: rows.map(({ row, ...checked }, index) => ({
        ...checked,
        position: first + index,
        detailsSealed: sealDetails(this.#context.vault, this.#id, first + index, {
          sender: row.counterparty.number,
          senderName: row.counterparty.name,
          senderBank: findBank(row.counterparty.bank, banks.values()) ?? null,
          text: row.text,
          number: row.number ?? row.count ?? null,
          ...(row.isDayUnknown && { isDayUnknown: true }),
        }),
      })),
    })
  }

  /** Refuses a choice that none of the accounts follows: they are bound to other requisites. */
  async #checkChoice(): Promise<void> {
    const [account] = this.#totals.accounts
    if (this.#chosen === null || !account) return
    const first = (await listSharing(this.#context, [this.#chosen])).get(this.#chosen)?.[0] ?? this.#chosen
    if (this.#totals.accounts.some(({ requisiteId }) => requisiteId === first)) return
    const name = await nameOfRequisite(this.#context, account.requisiteId)
    const reason = `The money of the account ${account.number} is booked on the requisite "${name}", not on the one that was chosen: choose that one, or bind the account to another one.`
    this.fault(1, reason)
  }

  async #noteElsewhere({
    rows,
    requisiteId,
    fileName,
  }: ReturnType<typeof countRecordedElsewhere.decode>): Promise<void> {
    const name = await nameOfRequisite(this.#context, requisiteId ?? '')
    const reason = `Most of the money in this file was already recorded for the requisite "${name}", from the file "${fileName}": choose that requisite, or withdraw that file first.`
    this.#elsewhere = { rows: this.#elsewhere.rows + rows, reason }
  }
}

/** Reads a file in constant memory. Problems with the file are in `faults`; other errors leave nothing. */
export const stageStatement = async (context: Context, upload: StatementUpload) => {
  const id = context.newId()
  await context.query(insertStatement, { ...upload, id, counts: noCounts, at: context.clock() })
  const stage = new Stage(context, id, upload)
  const hash = startHash()
  let size = 0
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const piece of upload.pieces) {
      hash.add(piece)
      size += piece.length
      yield piece
    }
  }
  let shape: StatementShape | null = null
  let unreadable: readonly LineFault[] = []
  try {
    shape = await readStatement(hashed(), upload.given, stage)
    await stage.end()
  } catch (error) {
    if (!(error instanceof FileFault)) {
      await context.query(deleteStatement, { id })
      throw error
    }
    unreadable = error.faults
  }
  const { accounts, names, counts, faults: noted, passedBefore } = stage.result
  const faults = [...noted, ...unreadable].toSorted((a, b) => a.line - b.line)
  if (faults.length > 0) await context.query(deleteRows, { statementId: id })
  // The same file for another requisite, read another way, or with more rows that count now, is another import.
  const contentHash = hashText(
    JSON.stringify([
      ...[hash.end(), upload.requisiteId, shape?.mapping ?? null, upload.given.charset ?? null],
      ...passedBefore,
    ]),
  )
  return { id, contentHash, size: BigInt(size), shape, accounts, names, counts, faults }
}
