import type { Context, Tx } from '../context.ts'
import { finalUntil } from '../domain/ledger.ts'
import { type SearchKind, searchKinds } from '../domain/search.ts'
import { type Instant, minute, second } from '../domain/time.ts'
import { instantOfId, leastIdAt } from '../domain/uuid-bounds.ts'
import { type Entry, outgoingEntry, paymentEntry, transferEntry } from './payment-entry.ts'
import { searchTokens } from './search-tokens.ts'
import {
  insertEntries,
  listUnindexedOutgoing,
  listUnindexedPayments,
  listUnindexedTransfers,
  lockProgress,
  updateProgress,
} from './store.ts'

/** Rows of one transaction. Each page looks through those of the overlap again, so that small pages are slow. */
const pageSize = 2000
/** Rows whose words are hashed without a break, some milliseconds. */
const hashedAtOnce = 100
/** What was just written may become visible a little later than what was written after it. */
const overlapMs = second
/** How often the rows of the last minutes are looked through for what became visible late. */
const completeEveryMs = minute
/** How often it is noted that nothing came. */
const noteEveryMs = 30 * second

type Span = { readonly fromId: string; readonly untilId: string; readonly limit: number }

/** Rows without an entry, by their kind, with the words by which they are found. */
const readers: Readonly<Record<SearchKind, (tx: Tx, span: Span) => Promise<Entry[]>>> = {
  payment: async (tx, span) => (await tx.query(listUnindexedPayments, span)).map(paymentEntry),
  transfer: async (tx, span) =>
    (await tx.query(listUnindexedTransfers, span)).map((row) => transferEntry(tx.vault, row)),
  outgoing: async (tx, span) =>
    (await tx.query(listUnindexedOutgoing, span)).map((row) => outgoingEntry(tx.vault, row)),
}

/** Indexes one page of a span; returns how many rows there were and where it ended. */
const indexPage = async (tx: Tx, kind: SearchKind, from: Instant, until: Instant) => {
  const span = { fromId: leastIdAt(from), untilId: leastIdAt(until), limit: pageSize }
  const entries = await readers[kind](tx, span)
  if (entries.length > 0) {
    const rows = []
    const tokensOf = searchTokens.storing(tx.vault)
    for (const [index, { ownerId, id, words }] of entries.entries()) {
      rows.push({ kind, ownerId, id, tokens: tokensOf(words) })
      if (index % hashedAtOnce === hashedAtOnce - 1) await new Promise((resolve) => void setImmediate(resolve))
    }
    await tx.query(insertEntries, { rows })
  }
  const last = entries.at(-1)
  const reached = entries.length < pageSize || !last ? until : instantOfId(last.id)
  return { indexed: entries.length, reached }
}

/** One page of a kind; whether there is more to do at once. */
const indexKind = (context: Context, kind: SearchKind): Promise<boolean> =>
  context.transaction(async (tx) => {
    const [progress] = await tx.query(lockProgress, { kind })
    if (!progress) return false
    const final = finalUntil(tx.now)
    const { completeUntil, seenUntil } = progress
    let complete = completeUntil
    if (completeUntil < final - completeEveryMs) {
      complete = (await indexPage(tx, kind, completeUntil, final)).reached
      if (complete < final) {
        await tx.query(updateProgress, { kind, completeUntil: complete, seenUntil })
        return true
      }
    }
    const from = Math.max(seenUntil - overlapMs, complete)
    const { indexed, reached } = await indexPage(tx, kind, from, tx.now + second)
    // A quiet service writes nothing here for a while.
    if (indexed > 0 || complete > completeUntil || tx.now - seenUntil > noteEveryMs)
      await tx.query(updateProgress, { kind, completeUntil: complete, seenUntil: Math.min(reached, tx.now) })
    return reached < tx.now
  })

/**
 * Indexes what was written since the last round, so that operators find it seconds later. What became visible late is
 * found within minutes: everything is looked through once more when it is final. Safe on any number of processes.
 */
export const indexNew = async (context: Context): Promise<number> => {
  const more = []
  for (const kind of searchKinds) more.push(await indexKind(context, kind))
  return more.filter(Boolean).length
}
