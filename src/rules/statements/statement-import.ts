import type { ListedTime } from '../values/booked-time.ts'

/** States of an uploaded statement (docs/domain.md §6.8). */
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
export type StatementState = (typeof statementStates)[number]

/** States in which nothing of a statement is in the books, nor can be. */
export const overStates: readonly StatementState[] = ['refused', 'discarded', 'withdrawn']

/** Transfers, their reversals, outgoing transfers, and what the bank gave back of those. */
export type RecordedRowKind = 'booked' | 'reversal' | 'outgoing' | 'outgoing-reversal'

/** Numbers of a statement without rows. */
export const noCounts = {
  rows: 0,
  new: 0,
  alreadyKnown: 0,
  /** Not reported by this channel before, but certainly the money of transfers that another channel reported. */
  duplicates: 0,
  /** New rows that may be transfers reported before. */
  possibleDuplicates: 0,
  /** Transfers that are sums of its rows, and about which nothing was decided: the rows replace them. */
  replaced: 0,
  /** Rows, known or duplicates in the preview, that take the place of lone reports if two agree on the file. */
  replacing: 0,
  reversals: 0,
  pending: 0,
  zero: 0,
  /** Lines that are not rows, such as a footer; not counted as rows. */
  notes: 0,
  /** Booked before the opening balance of their account, which contains their money: they are not recorded. */
  beforeOpening: 0,
  outgoing: 0,
}

/** Numbers of rows of a statement: before the import as found when the file was read, afterwards as recorded. */
export type StatementCounts = Readonly<typeof noCounts>

/** One account of a statement. Amounts are minor units as text, `null` if the file has none. */
export type StatementAccount = {
  readonly number: string
  readonly requisiteId: string
  readonly currency: string
  readonly opening: string | null
  readonly closing: string | null
  readonly credits: string
  readonly debits: string
  readonly creditRows: number
  readonly debitRows: number
  /** The time that its rows and closing days cover; absent if there are none. */
  readonly listed?: ListedTime
  /** The offset from UTC, in milliseconds, by which its times were read; absent if there are none. */
  readonly offsetMs?: number
  /** How much more the books have received on its days than its rows say, in minor units as text; absent if nothing. */
  readonly difference?: string
  /** What it held at the ends of days, in minor units as text. */
  readonly closings: readonly { readonly day: string; readonly balance: string }[]
}

/** Whether the rows of a file are all that is between its balances of an account. */
export const addsUp = ({
  opening,
  closing,
  credits,
  debits,
}: Pick<StatementAccount, 'opening' | 'closing' | 'credits' | 'debits'>): boolean =>
  opening !== null && closing !== null && BigInt(closing) - BigInt(opening) === BigInt(credits) - BigInt(debits)
