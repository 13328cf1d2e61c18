import type { CsvMapping } from './csv-mapping.ts'
import type { LineFault, StatementCharset } from './statement.ts'
import type { StatementFormat } from './statement-format.ts'
import type { ListedTime } from './booked-time.ts'
import type { Instant } from './time.ts'

/**
 * States of an uploaded statement (docs/domain.md §6.8). It is read, then `ready` with a preview, or `refused`. Confirmed
 * it is `importing`, and at the end `imported`. While it is `withdrawing` nothing is decided on its transfers; it ends
 * `withdrawn` or, where something was decided before, `imported` again. A preview that nobody wants is `discarded`.
 */
export const statementStates = [
  'reading',
  'ready',
  'refused',
  'discarded',
  'importing',
  'imported',
  'withdrawing',
  'withdrawn',
] as const
/** One of `statementStates`. */
export type StatementState = (typeof statementStates)[number]

/**
 * What the rows of a statement are recorded as: transfers and what the bank took back of them, outgoing transfers and what
 * the bank gave back of those.
 */
export type RecordedRowKind = 'booked' | 'reversal' | 'outgoing' | 'outgoing-reversal'

/**
 * Numbers of rows of a statement. Before the import those of new and known ones, and of duplicates, are what was found when
 * the file was read; afterwards, what they were recorded as.
 */
export type StatementCounts = {
  readonly rows: number
  readonly new: number
  readonly alreadyKnown: number
  /** Not reported by this channel before, but certainly the money of transfers that another one reported. */
  readonly duplicates: number
  /** New rows that may be transfers that were reported before. */
  readonly possibleDuplicates: number
  readonly reversals: number
  /** Not booked yet; they move nothing. */
  readonly pending: number
  /** They move 0.00. */
  readonly zero: number
  /** Lines that are no rows, such as a footer; not counted as rows. */
  readonly notes: number
  /** Booked before the opening balance of their account, which has their money: they are not recorded. */
  readonly beforeOpening: number
  /** Money that left, and such that the bank gave back. */
  readonly outgoing: number
}

/** One account of a statement. Amounts are minor units as text, `null` where the file has none. */
export type StatementAccount = {
  readonly number: string
  readonly requisiteId: string
  readonly currency: string
  readonly opening: string | null
  readonly closing: string | null
  readonly credits: string
  readonly debits: string
  /** How many rows those sums are of. */
  readonly creditRows: number
  readonly debitRows: number
  /** Blind indexes of the spellings of its number, the whole one first; absent where the file does not name it. */
  readonly numberIndexes?: readonly string[]
  /** The time that its rows and closing days are of; absent where there is none. */
  readonly listed?: ListedTime
  /** What it held at the end of days, in minor units as text. */
  readonly closings: readonly { readonly day: string; readonly balance: string }[]
}

/** An uploaded statement: its history with who and when. */
export type Statement = {
  readonly id: string
  readonly state: StatementState
  readonly fileName: string
  readonly sourceId: string | null
  readonly size: bigint | null
  readonly contentHash: string | null
  readonly format: StatementFormat | null
  readonly charset: StatementCharset | null
  readonly mapping: CsvMapping | null
  readonly accounts: readonly StatementAccount[]
  readonly counts: StatementCounts
  readonly faults: readonly LineFault[]
  readonly uploadedBy: string
  readonly uploadedAt: Instant
  readonly confirmedBy: string | null
  readonly confirmedAt: Instant | null
  /** The last row that was recorded. */
  readonly importedTo: number
  readonly importedAt: Instant | null
  readonly withdrawnBy: string | null
  readonly withdrawnAt: Instant | null
  readonly withdrawalReason: string | null
  /** The last row that a withdrawal has checked, and the last whose transfer it took back. */
  readonly withdrawalCheckedTo: number
  readonly withdrawnTo: number
  /** Why the last withdrawal was given up. */
  readonly withdrawalFailure: string | null
}

/** Counts of a statement before any row was read. */
export const noCounts: StatementCounts = {
  ...{ rows: 0, new: 0, alreadyKnown: 0, duplicates: 0, possibleDuplicates: 0 },
  ...{ reversals: 0, pending: 0, zero: 0, notes: 0, beforeOpening: 0, outgoing: 0 },
}
