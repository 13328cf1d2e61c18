import type { Context, Tx } from '../context.ts'
import { finalUntil } from '../../rules/money/ledger.ts'
import { type SearchKind, searchKinds } from '../../rules/search/search.ts'
import { day, type Instant, minute, second } from '../../rules/time.ts'
import { instantOfId, leastIdAt } from '../../rules/values/uuid-bounds.ts'
import { type Entry, readers, type Span } from './readers.ts'
import { searchTokens } from './search-tokens.ts'
import {
  insertEntries,
  listIndexedOwners,
  lockProgress,
  updateProgress,
  listEntriesAfter,
  updateTokens,
} from './store.ts'

/** Rows per transaction. */
const pageSize = 2000
/** Rows whose words are hashed without a break; takes some milliseconds. */
const hashedAtOnce = 100
/** Rows are read at this age: by then nearly all are visible, so that each is read only once. */
const settleMs = 2 * second
/** How often the entries of final rows are counted, to find rows that became visible late. */
const completeEveryMs = minute
/** How far back entries are looked for once the clock has been ahead. */
const recheckedMs = 31 * day
/** How often progress is stored when nothing comes. */
const noteEveryMs = 30 * second

const spanOf = (from: Instant, until: Instant): Span => ({ fromId: leastIdAt(from), untilId: leastIdAt(until) })

const writeEntries = async (tx: Tx, kind: SearchKind, entries: readonly Entry[]): Promise<void> => {
  if (entries.length === 0) return
  const rows = []
  const tokensOf = searchTokens.storing(tx.vault)
  for (const [index, { ownerId, id, words }] of entries.entries()) {
    rows.push({ ownerId, id, tokens: tokensOf(words) })
    if (index % hashedAtOnce === hashedAtOnce - 1) await new Promise((resolve) => void setImmediate(resolve))
  }
  await tx.query(insertEntries, { kind, rows })
}

/**
 * The rows of a span up to the end of a page; pages end at the start of a millisecond, so that no row is read twice.
 */
const readPage = async (tx: Tx, kind: SearchKind, from: Instant, until: Instant) => {
  const span = spanOf(from, until)
  for (let limit = pageSize; ; limit *= 2) {
    const entries = await readers[kind].list(tx, { ...span, limit })
    const last = entries.at(-1)
    if (!last || entries.length < limit) return { entries, reached: until }
    const reached = instantOfId(last.id)
    if (reached > from) return { entries: entries.filter(({ id }) => instantOfId(id) < reached), reached }
  }
}

/** The entries of a page that do not exist yet: an earlier release read further ahead than it recorded. */
const leaveOut = async (tx: Tx, kind: SearchKind, span: Span, entries: readonly Entry[]) => {
  if (entries.length === 0) return entries
  const rows = [...new Set(entries.map(({ ownerId }) => ownerId))].map((ownerId) => ({ ownerId }))
  const known = await tx.query(listIndexedOwners, { kind, ...span, rows })
  return known.length === 0 ? entries : readers[kind].listUnindexed(tx, { ...span, rows, limit: entries.length })
}

type Progress = { readonly completeUntil: Instant; readonly seenUntil: Instant }

/** Indexes a page of rows written since the last run; each row is read once. Returns whether there is more. */
const indexWritten = async (tx: Tx, kind: SearchKind, { completeUntil, seenUntil }: Progress): Promise<boolean> => {
  const from = Math.max(seenUntil, completeUntil)
  const until = tx.now - settleMs
  if (from >= until) return false
  const { entries, reached } = await readPage(tx, kind, from, until)
  await writeEntries(tx, kind, await leaveOut(tx, kind, spanOf(from, reached), entries))
  // Rows that were final when read need no second check.
  const complete = from === completeUntil ? Math.max(from, Math.min(reached, finalUntil(tx.now))) : completeUntil
  // In a quiet service, this writes nothing for a while.
  if (entries.length > 0 || reached < until || tx.now - seenUntil > noteEveryMs)
    await tx.query(updateProgress, { kind, completeUntil: complete, seenUntil: reached })
  return reached < until
}

/** Until when rows are checked again because they have become final; undefined while that can wait. */
const lateUntil = (now: Instant, { completeUntil, seenUntil }: Progress): Instant | undefined => {
  const final = finalUntil(now)
  // After a pause, the rows that are read next are already final.
  if (seenUntil <= final) return completeUntil < seenUntil ? seenUntil : undefined
  return completeUntil < final - completeEveryMs ? final : undefined
}

/** Indexes a page of rows that became visible after they should have been read, and are final by now. */
const indexLate = async (tx: Tx, kind: SearchKind, { completeUntil, seenUntil }: Progress, until: Instant) => {
  const span = spanOf(completeUntil, until)
  const owners = await readers[kind].listLacking(tx, span)
  const entries =
    owners.length === 0 ? [] : await readers[kind].listUnindexed(tx, { ...span, rows: owners, limit: pageSize })
  await writeEntries(tx, kind, entries)
  const last = entries.at(-1)
  const reached = entries.length < pageSize || !last ? until : instantOfId(last.id)
  await tx.query(updateProgress, { kind, completeUntil: reached, seenUntil })
}

/** The progress, or that of a month ago if the clock was ahead: what is missing since is found like late rows. */
const notAhead = (progress: Progress, now: Instant): Progress =>
  Math.max(progress.completeUntil, progress.seenUntil) <= now
    ? progress
    : { completeUntil: now - recheckedMs, seenUntil: finalUntil(now) }

/** Indexes one page of a kind; returns whether there is more. */
const indexKind = (context: Context, kind: SearchKind): Promise<boolean> =>
  context.transaction(async (tx) => {
    const [locked] = await tx.query(lockProgress, { kind })
    if (!locked) return false
    const progress = notAhead(locked, tx.now)
    const until = lateUntil(tx.now, progress)
    if (until === undefined) return indexWritten(tx, kind, progress)
    await indexLate(tx, kind, progress, until)
    return true
  })

/**
 * Indexes what was written until some seconds ago. Rows that become visible later are found within minutes: once rows
 * are final, their entries are counted. Safe on any number of processes.
 */
export const indexNew = async (context: Context): Promise<number> => {
  const more = []
  for (const kind of searchKinds) more.push(await indexKind(context, kind))
  return more.filter(Boolean).length
}

const rowsAtOnce = 500
const beginning = ['', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000']

/**
 * Hashes the words of the entries after a position with the first key; `position` is the last of them, or null at the
 * end.
 */
export const renewEntries = async (tx: Tx, position: readonly string[] | null) => {
  const [kind = '', ownerId = '', id = ''] = position ?? beginning
  const keys = await tx.query(listEntriesAfter, { kind, ownerId, id, limit: rowsAtOnce })
  let renewed = 0
  for (const [each, rows] of Map.groupBy(keys, (key) => key.kind)) {
    const entries = await readers[each].listIndexed(tx, rows)
    const tokensOf = searchTokens.storing(tx.vault)
    const hashed = entries.map(({ words, ...entry }) => ({ ...entry, tokens: tokensOf(words) }))
    renewed += (await tx.query(updateTokens, { kind: each, rows: hashed })).length
  }
  const last = keys.at(-1)
  const isEnd = keys.length < rowsAtOnce || last === undefined
  return { position: isEnd ? null : [last.kind, last.ownerId, last.id], renewed }
}
