import { parseDecimal, withoutNoise } from './amount.ts'
import { bookedInstant, withDayAtAccount } from './booked.ts'
import { currencyDecimals } from './currency.ts'
import { FaultList, FileFault, type LineFault } from './file-fault.ts'
import { type FileSink, readStatement, type StatementShape } from './read-statement.ts'
import type { Booking, SkippedRow, StatementBalance, StatementRow } from './statement.ts'
import type { GivenMapping } from './tables/csv-mapping.ts'

/** What a caller knows about a file that it may not say itself. */
export type BankFileOptions = {
  /** The lower-case code of the currency of rows whose file names none. */
  readonly currency?: string
  /** The time zone of the account: some banks write midnight there, in UTC, for a day without a time. 0 by default. */
  readonly utcOffsetMinutes?: number
  /** How to read the file; what is missing is found in it. */
  readonly mapping?: GivenMapping
}

/** A row of the file. Its amount is above zero, in units of as many decimals as the currency has. */
export type Entry = Omit<StatementRow, 'amount' | 'booking'> & {
  readonly amount: bigint
  readonly decimals: number
  readonly booking?: Omit<Booking, 'amount'> & { readonly amount: bigint }
}

/** A balance of an account, in the same units. */
export type EntryBalance = Omit<StatementBalance, Sum> & {
  readonly decimals: number
} & { readonly [Name in Sum]: bigint | null }

/** A file that was read to its end, without a fault. */
export type BankFile = StatementShape & {
  readonly entries: readonly Entry[]
  readonly balances: readonly EntryBalance[]
  /** How many lines are no entries, by their kind. */
  readonly skipped: Readonly<Record<SkippedRow, number>>
}

const sums = ['opening', 'closing', 'credits', 'debits'] as const
type Sum = (typeof sums)[number]

/** Most entries of a file, which are all kept in memory. */
const maxEntries = 2_000_000

/** Collects what is read from a file, with exact amounts. */
class Collector implements FileSink {
  readonly entries: Entry[] = []
  readonly balances: EntryBalance[] = []
  readonly skipped = { pending: 0, zero: 0, notes: 0 }
  readonly faults = new FaultList()
  readonly #options: BankFileOptions

  constructor(options: BankFileOptions) {
    this.#options = options
  }

  row(read: StatementRow): void {
    const { booking, ...row } = withDayAtAccount(read, this.#options.utcOffsetMinutes ?? 0)
    const { currency, decimals } = this.#unitOf(row.currency)
    const amount = this.#amountOf(row.line, row.amount, decimals)
    if (bookedInstant(row.booked, 0) === undefined)
      this.fault(row.line, `There is no such date or time: ${row.booked.slice(0, 40)}.`)
    if (this.entries.length === maxEntries)
      throw new FileFault(row.line, `The file has more than ${maxEntries} entries: export fewer days at a time.`)
    const sum = booking && parseDecimal(booking.amount, decimals)
    const booked = booking && typeof sum === 'bigint' ? { booking: { ...booking, amount: sum } } : {}
    this.entries.push({ ...row, currency, amount, decimals, ...booked })
  }

  balance(balance: StatementBalance): void {
    const { currency, decimals } = this.#unitOf(balance.currency)
    const read = (name: Sum): bigint | null => {
      const text = balance[name]
      return text === null ? null : this.#amountOf(balance.line, withoutNoise(text, decimals), decimals)
    }
    const [opening, closing, credits, debits] = [read('opening'), read('closing'), read('credits'), read('debits')]
    this.balances.push({ ...balance, currency, decimals, opening, closing, credits, debits })
  }

  skip(row: SkippedRow): void {
    this.skipped[row]++
  }

  fault(line: number, reason: string): void {
    this.faults.add(line, reason)
  }

  async flush(): Promise<void> {}

  #unitOf(own: string | null): { readonly currency: string | null; readonly decimals: number } {
    const currency = own ?? this.#options.currency ?? null
    return { currency, decimals: currencyDecimals(currency ?? '') }
  }

  #amountOf(line: number, text: string, decimals: number): bigint {
    const amount = parseDecimal(text, decimals)
    if (typeof amount === 'bigint') return amount
    const why = amount === 'precision' ? `has more than ${decimals} decimals` : 'is too large'
    this.fault(line, `The amount ${text.slice(0, 40)} ${why}.`)
    return 0n
  }
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/**
 * Reads a bank's file in any format, given as its bytes or as pieces of them. A file with a fault gives no entries: it
 * throws a `FileFault` with all that were found.
 */
export const readBankFile = async (
  file: Uint8Array | AsyncIterable<Uint8Array>,
  options: BankFileOptions = {},
): Promise<BankFile> => {
  const found = new Collector(options)
  const unreadable: LineFault[] = []
  let shape: StatementShape | undefined
  try {
    shape = await readStatement(file instanceof Uint8Array ? whole(file) : file, options.mapping ?? null, found)
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    unreadable.push(...error.faults)
  }
  const faults = [...found.faults.list, ...unreadable].toSorted((one, other) => one.line - other.line)
  const [first] = faults
  if (first) throw new FileFault(first.line, first.reason, faults)
  if (!shape) throw new Error('The file was not read.')
  const { entries, balances, skipped } = found
  return { ...shape, entries, balances, skipped }
}
