import type { CsvMapping } from './csv-mapping.ts'
import type { LineFault, StatementCharset, StatementFormat } from './statement.ts'
import type { Instant } from './time.ts'

/**
 * Where an uploaded statement is: it is read, then `ready` with a preview or `refused`; confirmed it is `importing` and
 * at the end `imported`; while it is `undoing` nothing is decided on what it brought, until it is `undone` or, for what was
 * decided before, `imported` again. `discarded` is a preview that nobody wanted.
 */
export const statementStates = [
  'reading',
  'ready',
  'refused',
  'discarded',
  'importing',
  'imported',
  'undoing',
  'undone',
] as const
/** One of `statementStates`. */
export type StatementState = (typeof statementStates)[number]

/** How many rows a statement has of each sort; new and duplicate as they were when it was read. */
export type StatementCounts = {
  readonly rows: number
  readonly new: number
  readonly duplicate: number
  /** Of the new ones those that may be transfers of another channel; absent in what was read before this was looked at. */
  readonly possibleRepeats?: number
  readonly reversals: number
  /** Not booked yet: passed over. */
  readonly pending: number
  /** Money that leaves, and debits that were taken back: only for the balance. */
  readonly others: number
}

/** One account of a statement. Amounts are minor units as text, `null` where the file tells none. */
export type StatementAccount = {
  readonly number: string
  readonly requisiteId: string
  readonly currency: string
  readonly opening: string | null
  readonly closing: string | null
  readonly credits: string
  readonly debits: string
  /** Blind indexes of the spellings of its number, the whole one first; absent where the file tells none. */
  readonly numberIndexes?: readonly string[]
  /** What it held at the end of days, in minor units as text; absent in what was read before this was known. */
  readonly closings?: readonly { readonly day: string; readonly balance: string }[]
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
  readonly importedTo: number
  readonly importedAt: Instant | null
  readonly undoneBy: string | null
  readonly undoneAt: Instant | null
  readonly undoReason: string | null
  /** The last row that an undoing looked at, and the last whose transfer it took back. */
  readonly undoCheckedTo: number
  readonly undoneTo: number
  /** Why the last undoing was given up. */
  readonly undoFailure: string | null
}

/** Counts of a statement of which nothing has been read. */
export const noCounts: StatementCounts = { rows: 0, new: 0, duplicate: 0, reversals: 0, pending: 0, others: 0 }
