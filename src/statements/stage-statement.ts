import type { Context } from '../context.ts'
import type { CsvMapping } from '../domain/csv-mapping.ts'
import { currencyDecimals } from '../domain/currency.ts'
import { parseDecimal } from '../domain/decimal.ts'
import { maskNumber, maskSource } from '../domain/masking.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Requisite } from '../domain/requisite.ts'
import {
  accountSpellings,
  bookedInstant,
  faultsOf,
  findBank,
  type LineFault,
  refuseStatement,
  rowIdentity,
  type StatementBalance,
  type StatementRow,
} from '../domain/statement.ts'
import { noCounts, type StatementAccount, type StatementCounts } from '../domain/statement-import.ts'
import { day, type Instant } from '../domain/time.ts'
import { dedupeKey, sameBookingMs } from '../domain/transfer.ts'
import { bankIssuers } from '../requisites/bank-issuers.ts'
import { hashText, startHash } from '../secrets/content-hash.ts'
import { type AccountSums, checkBalances } from './check-balances.ts'
import { settleEntries } from './entries/settle-entries.ts'
import { findRowRepeats } from './repeats/find-row-repeats.ts'
import { readStatement, type StatementShape } from './formats/read-statement.ts'
import { resolveAccount } from './resolve-account.ts'
import { countRecordedElsewhere } from './repeats/store.ts'
import { sealDetails } from './row-details.ts'
import { deleteRows, deleteStatement, insertRows, insertStatement } from './store.ts'

/** A file of a bank as it comes, and what the operator says about it. */
export type StatementUpload = {
  readonly pieces: AsyncIterable<Uint8Array>
  readonly fileName: string
  readonly sourceId: string | null
  /** The requisite of an account that no requisite has by its number. */
  readonly requisiteId: string | null
  readonly mapping: CsvMapping | null
  readonly by: string
}

/** A file that was read into the stage; nothing of it is seen anywhere before it is finished. */
export type StagedStatement = {
  readonly id: string
  readonly contentHash: string
  readonly size: bigint
  readonly shape: StatementShape | null
  readonly accounts: readonly StatementAccount[]
  readonly counts: StatementCounts
  readonly faults: readonly LineFault[]
}

/** Rows that one statement of the database takes. */
const rowsAtOnce = 1000
/** After so many faults the rest of a file is not read. */
const maxFaults = 50
/** Most rows of a file. */
const maxRows = 2_000_000
/** How far ahead of ours the day of a bank may be: it may be in another zone. */
const maxAheadMs = 26 * 60 * 60 * 1000

type Placed = {
  readonly row: StatementRow
  readonly requisite: Requisite
  readonly amount: bigint
  readonly bookedAt: Instant
  readonly fingerprint: string
  /** The whole amount of the booking that it is a part of, or is. */
  readonly entryAmount: bigint | null
}

type Event = { readonly row: StatementRow } | { readonly balance: StatementBalance }

const fingerprintOf = (row: StatementRow, amount: bigint, bookedAt: Instant): string => {
  const known = { amount, bookedAt, sender: null, bankReference: row.reference }
  const key = row.reference === null ? `row:${hashText(rowIdentity(row, amount))}` : dedupeKey(known, 0)
  return row.kind === 'reversal' ? `reversal:${key}` : key
}

/** Who tells of a row and how: rows of one channel are told alike, those of two may be of one transfer. */
const channelOf = (row: StatementRow, report: string, sourceId: string | null): string =>
  `${report}${row.booked.length === 10 ? ' by day' : ''}${sourceId === null ? '' : ` of ${sourceId}`}`

const referenceKindOf = ({ reference, referenceKind }: StatementRow, format: string | undefined): string | null => {
  if (reference === null) return null
  return referenceKind ?? (format === 'mt940' ? 'entry' : (format ?? null))
}

/** Puts the rows of one file into the stage, set by set, and gathers what a preview tells. */
const openStage = (context: Context, id: string, { requisiteId: chosen, sourceId }: StatementUpload) => {
  const resolve = resolveAccount(context, chosen)
  const elsewhere = { rows: 0, reason: '' }
  let shape: StatementShape | undefined
  const faults: LineFault[] = []
  const counts = { ...noCounts, possibleRepeats: 0 }
  const accounts = new Map<string, StatementAccount>()
  const sums = new Map<string, AccountSums>()
  const refused = new Set<string>()
  const chosenFor = new Set<string>()
  let events: Event[] = []
  let waiting: Placed[] = []
  let position = 0

  const fault = (line: number, reason: string): void => {
    faults.push({ line, reason })
    if (faults.length >= maxFaults) throw refuseStatement(faults.splice(0))
  }

  const find = async (
    line: number,
    account: string | null,
    currency: string | null,
  ): Promise<Requisite | undefined> => {
    const resolved = await resolve(account, currency)
    if ('requisite' in resolved) {
      if (resolved.isChosen) chosenFor.add(account ?? '')
      return resolved.requisite
    }
    if (!refused.has(resolved.reason)) fault(line, resolved.reason)
    refused.add(resolved.reason)
    return undefined
  }

  const indexesOf = (account: string): string[] =>
    accountSpellings(account).map((each) => context.vault.blindIndex('statement-account', each))

  const sumsOf = (account: string | null): AccountSums => {
    const key = account ?? ''
    const own = sums.get(key) ?? { credits: 0n, debits: 0n }
    sums.set(key, own)
    return own
  }

  const isChosen = ({ row }: Placed): boolean => chosenFor.has(row.account ?? '')

  /** Counts rows for a requisite that was only chosen that were recorded for another one. */
  const countElsewhere = async (first: number, last: number, rows: readonly Placed[]): Promise<void> => {
    if (!rows.some(isChosen)) return
    const [found] = await context.query(countRecordedElsewhere, { statementId: id, first, last })
    if (!found || found.rows === 0) return
    elsewhere.rows += found.rows
    elsewhere.reason = `Most of its rows were recorded for requisite ${found.requisiteId} already, by statement ${found.statementId}: choose that requisite, or undo that statement first.`
  }

  /** What is wrong with a file as a whole. */
  const checkWhole = (): void => {
    if (elsewhere.rows * 2 >= Math.max(1, position)) fault(1, elsewhere.reason)
  }

  const findRepeats = async (first: number, rows: readonly Placed[], positions: readonly number[]): Promise<void> => {
    const reports = positions.flatMap((at) => {
      const placed = rows[at - first]
      if (!placed || placed.row.kind === 'reversal') return []
      const { row, requisite, amount, bookedAt } = placed
      return {
        ...{ position: at, requisiteId: requisite.id, amount, bookedAt: Math.min(bookedAt, context.clock()) },
        senderMasked: maskSource(row.payerNumber ?? ''),
        bankReference: row.reference,
        referenceKind: referenceKindOf(row, shape?.format),
        channel: channelOf(row, shape?.report ?? '', sourceId),
        source: `statement:${id}`,
      }
    })
    counts.possibleRepeats += await findRowRepeats(context, id, reports)
  }

  const insert = async (): Promise<void> => {
    const told = waiting
    waiting = await settleEntries(context, told, fault)
    counts.rows += waiting.length - told.length
    for (let from = 0; from < waiting.length; from += rowsAtOnce) {
      const rows = waiting.slice(from, from + rowsAtOnce)
      const first = position + 1
      position += rows.length
      if (position > maxRows)
        throw refuseStatement([{ line: rows[0]?.row.line ?? 0, reason: `The file has more than ${maxRows} rows.` }])
      const seen = new Map<string, number>()
      const ordinals = rows.map(({ requisite, fingerprint }) => {
        const key = `${requisite.id} ${fingerprint}`
        const ordinal = seen.get(key) ?? 0
        seen.set(key, ordinal + 1)
        return ordinal
      })
      const banks = await context.catalog.get(bankIssuers)
      const known = await context.query(insertRows, {
        statementId: id,
        first,
        positions: rows.map((_, index) => first + index),
        lines: rows.map(({ row }) => row.line),
        kinds: rows.map(({ row }) => (row.kind === 'reversal' ? 'reversal' : 'booked')),
        requisiteIds: rows.map(({ requisite }) => requisite.id),
        currencies: rows.map(({ requisite }) => requisite.currency),
        amounts: rows.map(({ amount }) => amount),
        bookedAts: rows.map(({ bookedAt }) => bookedAt),
        fingerprints: rows.map(({ fingerprint }) => fingerprint),
        ordinals,
        bankReferences: rows.map(({ row }) => row.reference),
        sendersMasked: rows.map(({ row }) => maskSource(row.payerNumber ?? '')),
        detailsSealed: rows.map(({ row }, index) =>
          sealDetails(context.vault, id, first + index, {
            ...row,
            senderBank: findBank(row.payerBank, banks.values()) ?? null,
          }),
        ),
        chosen: rows.map(isChosen),
        entryReferences: rows.map(({ row }) => row.entry?.reference ?? null),
        entryAmounts: rows.map(({ entryAmount }) => entryAmount),
        channels: rows.map(({ row }) => channelOf(row, shape?.report ?? '', sourceId)),
        referenceKinds: rows.map(({ row }) => referenceKindOf(row, shape?.format)),
      })
      await findRepeats(
        first,
        rows,
        known.filter(({ knownAt }) => knownAt === null).map((each) => each.position),
      )
      await countElsewhere(first, position, rows)
      for (const { position: at, ordinal, knownAt } of known) {
        const placed = rows[at - first]
        if (!placed) continue
        const { row, bookedAt } = placed
        if (knownAt === null) counts.new++
        else counts.duplicate++
        if (row.reference === null) continue
        if (ordinal > 0)
          fault(row.line, `The bank's reference ${row.reference} stands in the file twice with the same amount.`)
        if (knownAt !== null && Math.abs(knownAt - bookedAt) > sameBookingMs) {
          fault(
            row.line,
            `The bank's reference ${row.reference} was reported before, with the same amount, for another day.`,
          )
        }
      }
    }
    waiting = []
  }

  const readMoney = (row: StatementRow, requisite: Requisite): { amount: bigint; bookedAt: Instant } | undefined => {
    const { currency, limits } = requisite
    if (row.currency !== null && row.currency !== currency) {
      fault(row.line, `The row is in ${row.currency}, but its requisite is in ${currency}.`)
      return undefined
    }
    const amount = parseDecimal(row.amount, currencyDecimals(currency))
    if (typeof amount !== 'bigint' || amount <= 0n) {
      fault(
        row.line,
        `The amount ${row.amount} is ${amount === 'precision' ? `more exact than ${currency} is` : 'too large'}.`,
      )
      return undefined
    }
    const bookedAt = bookedInstant(row.booked, limits.utcOffsetMinutes)
    if (bookedAt === undefined) fault(row.line, `There is no such date or time: ${row.booked}.`)
    else if (bookedAt - (row.booked.length === 10 ? day : 0) > context.clock() + maxAheadMs)
      fault(row.line, `The date ${row.booked} is in the future.`)
    else return { amount, bookedAt }
    return undefined
  }

  const takeRow = async (row: StatementRow): Promise<void> => {
    counts.rows++
    const requisite = await find(row.line, row.account, row.currency)
    const money = requisite && readMoney(row, requisite)
    if (!requisite || !money) return
    if (row.kind === 'pending') {
      counts.pending++
      return
    }
    const own = sumsOf(row.account)
    if (row.direction === 'credit') own.credits += money.amount
    else own.debits += money.amount
    // Money in by a reversal is our own that comes back; money out by one is a payer's that is taken back.
    if ((row.direction === 'credit') === (row.kind === 'reversal')) {
      counts.others++
      return
    }
    if (row.kind === 'reversal') counts.reversals++
    const whole = row.entry ? parseDecimal(row.entry.amount, currencyDecimals(requisite.currency)) : null
    waiting.push({
      ...{ row, requisite, ...money, fingerprint: fingerprintOf(row, money.amount, money.bookedAt) },
      entryAmount: typeof whole === 'bigint' ? whole : null,
    })
  }

  const takeBalance = async (balance: StatementBalance): Promise<void> => {
    const requisite = await find(balance.line, balance.account, balance.currency)
    if (!requisite) return
    if (balance.currency !== null && balance.currency !== requisite.currency) {
      return fault(
        balance.line,
        `The balance is in ${balance.currency}, but its requisite is in ${requisite.currency}.`,
      )
    }
    const own = sumsOf(balance.account)
    const { opening, closing, reason } = checkBalances(balance, own, requisite.currency)
    // Where a row could not be read, its money is missing in the sums.
    if (reason !== null && faults.length === 0) fault(balance.line, reason)
    const key = `${requisite.id} ${balance.account}`
    const before = accounts.get(key)
    const { closedOn = null } = balance
    const isDay = closing !== null && closedOn !== null && bookedInstant(closedOn, 0) !== undefined
    const closed = isDay ? [{ day: closedOn, balance: closing.toString() }] : []
    accounts.set(key, {
      number: balance.account === null ? requisite.numberMasked : maskNumber(balance.account),
      requisiteId: requisite.id,
      currency: requisite.currency,
      opening: before?.opening ?? opening?.toString() ?? null,
      closing: closing?.toString() ?? before?.closing ?? null,
      credits: (BigInt(before?.credits ?? 0) + own.credits).toString(),
      debits: (BigInt(before?.debits ?? 0) + own.debits).toString(),
      ...(balance.account === null ? {} : { numberIndexes: indexesOf(balance.account) }),
      closings: [...(before?.closings ?? []).filter(({ day: known }) => known !== closedOn), ...closed],
    })
    sums.delete(balance.account ?? '')
  }

  return {
    faults,
    counts,
    accounts,
    insert,
    checkWhole,
    sink: {
      begin: (found: StatementShape) => {
        shape = found
      },
      row: (row: StatementRow) => void events.push({ row }),
      balance: (balance: StatementBalance) => void events.push({ balance }),
      fault,
      flush: async () => {
        const taken = events
        events = []
        for (const event of taken) {
          if ('row' in event) await takeRow(event.row)
          else await takeBalance(event.balance)
        }
        if (waiting.length >= rowsAtOnce) await insert()
      },
    },
  }
}

const dropStage = async (context: Context, id: string): Promise<void> => {
  await context.query(deleteRows, { statementId: id })
  await context.query(deleteStatement, { id })
}

/**
 * Reads a file into the stage, in flat memory whatever its size. What is wrong with it is among its `faults`; errors that
 * are none of the file's leave nothing behind.
 */
export const stageStatement = async (context: Context, upload: StatementUpload): Promise<StagedStatement> => {
  const id = context.newId()
  const { fileName, sourceId, by } = upload
  await context.query(insertStatement, { id, fileName, sourceId, counts: noCounts, by, at: context.clock() })
  const stage = openStage(context, id, upload)
  const hash = startHash()
  let size = 0
  async function* watched(): AsyncGenerator<Uint8Array> {
    for await (const piece of upload.pieces) {
      hash.add(piece)
      size += piece.length
      yield piece
    }
  }
  let shape: StatementShape | null = null
  let broken: LineFault[] = []
  try {
    shape = await readStatement(watched(), upload.mapping, stage.sink)
    await stage.insert()
    stage.checkWhole()
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'statement_refused')) {
      await dropStage(context, id)
      throw error
    }
    broken = faultsOf(error)
  }
  const faults = [...stage.faults, ...broken].toSorted((a, b) => a.line - b.line)
  if (faults.length > 0) await context.query(deleteRows, { statementId: id })
  // The same file for another requisite, or read in another way, is another import.
  const contentHash = hashText(JSON.stringify([hash.end(), upload.requisiteId, shape?.mapping ?? null]))
  return {
    ...{ id, contentHash, size: BigInt(size), shape, faults },
    counts: stage.counts,
    accounts: [...stage.accounts.values()],
  }
}
