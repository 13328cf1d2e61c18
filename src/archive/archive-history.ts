import type { Context, Tx } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { day, minute } from '../domain/time.ts'
import { deleteNotifications, readNotifications } from '../notifications/archiving/read-notifications.ts'
import {
  deletePaymentHistories,
  lockHistories,
  readPaymentHistories,
} from '../payments/archiving/read-payment-histories.ts'
import { type ArchivedPayment, isWhole, lineOf, nameOf, packFile } from './pack-file.ts'
import { type Choice, choosePayments, type Finished } from './choose-payments.ts'
import {
  beginPass,
  findFile,
  findLastFile,
  findVerifiedUntil,
  finishPass,
  insertArchived,
  insertFile,
  leaseArchive,
  listStillFinished,
  lockArchive,
  releaseArchive,
  saveCursors,
} from './store.ts'

/** Payments per file, and per transaction that deletes their history: about 200 kB, and 50 ms. */
const perFile = 500
/** A killed process is replaced after this time; a round takes seconds. */
const leaseMs = 10 * minute
/** How often payments that were not finished before are checked again. */
const againMs = 7 * day

const firstIdAt = (at: number): string => {
  const hex = at.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

const readAll = async (sql: Queryable, payments: readonly Finished[]): Promise<ArchivedPayment[]> => {
  const histories = await readPaymentHistories(sql, payments)
  const notified = await readNotifications(sql, payments)
  const found = new Map(histories.map((row) => [row.paymentId, row]))
  const news = new Map(notified.map((row) => [row.paymentId, row.notifications]))
  return payments.map((payment) => {
    const { events = '[]', acknowledgements = '[]' } = found.get(payment.paymentId) ?? {}
    return { ...payment, events, acknowledgements, notifications: news.get(payment.paymentId) ?? '[]' }
  })
}

type Stored = ReturnType<typeof packFile> & { readonly number: number; readonly id: string; readonly previous: string }

type Round = { readonly by: string; readonly before: number }

/** Stores the file of payments and reads it back. Undefined if it is not what was stored. */
const storeFile = async (context: Context, payments: readonly ArchivedPayment[]): Promise<Stored | undefined> => {
  const { files } = context
  const [last] = await context.query(findLastFile, {})
  const [number, previous, id] = [(last?.number ?? 0) + 1, last?.hash ?? '', context.newId()]
  const packed = packFile(payments, { number, previous })
  const name = nameOf({ number, id })
  await files?.put(name, packed.content)
  const read = await files?.get(name)
  if (read && isWhole(read, packed.hash)) return { ...packed, number, id, previous }
  context.meter.count('payin_archive_failures_total', {})
  context.log.error({ name }, 'the file storage does not return what was stored: nothing is archived')
  return undefined
}

/** Records a stored file and deletes its content from the database, unless any of it has changed since it was read. */
const replaceByFile = async (
  tx: Tx,
  { by, before }: Round,
  { cursors }: Choice,
  payments: readonly ArchivedPayment[],
  { number, id, previous, hash, counts, content, firstAt, lastAt }: Stored,
): Promise<boolean> => {
  const [leased] = await tx.query(lockArchive, { by })
  // If its connection was lost, even after the commit, the transaction is run again: then the file is the only history.
  const [recorded] = await tx.query(findFile, { number })
  if (recorded?.id === id) return true
  const [last] = await tx.query(findLastFile, {})
  if (!leased || (last?.number ?? 0) !== number - 1) return false
  await lockHistories(tx, payments)
  const still = await tx.query(listStillFinished, { before, rows: payments })
  const sequences = new Map(still.map(({ paymentId, sequence }) => [paymentId, sequence]))
  if (payments.some(({ paymentId, sequence }) => sequences.get(paymentId) !== sequence)) return false
  const now = await readAll(tx, payments)
  if (now.some((payment, index) => lineOf(payment) !== lineOf(payments[index] ?? payment))) return false
  await tx.query(insertFile, {
    ...{ number, id, firstAt, lastAt, hash, payments: counts.payments, events: BigInt(counts.events) },
    ...{ notifications: BigInt(counts.notifications), acknowledgements: BigInt(counts.acknowledgements) },
    ...{ bytes: BigInt(content.length), previousHash: previous, archivedAt: tx.now },
  })
  await tx.query(insertArchived, { file: number, rows: payments })
  await tx.query(saveCursors, { rows: cursors })
  const deleted = await deletePaymentHistories(tx, payments)
  const notifications = await deleteNotifications(tx, payments)
  const missed = Object.entries({ ...deleted, notifications }).filter(
    ([part, count]) => counts[part as keyof typeof counts] !== count,
  )
  if (missed.length > 0) throw new Error(`what was deleted is not what was archived: ${JSON.stringify(missed)}`)
  return true
}

const archiveNext = async (context: Context, round: Round, untilId: string): Promise<'none' | 'some' | 'changed'> => {
  const choice = await choosePayments(context, { untilId, before: round.before }, perFile)
  if (choice.payments.length === 0) {
    if (choice.cursors.length === 0) return 'none'
    await context.query(saveCursors, { rows: choice.cursors })
    return 'some'
  }
  const payments = await readAll(context, choice.payments)
  const stored = await storeFile(context, payments)
  if (!stored) return 'changed'
  const done = await context.transaction((tx) => replaceByFile(tx, round, choice, payments, stored))
  if (done) return 'some'
  await context.files?.remove(nameOf(stored))
  return 'changed'
}

/**
 * Writes the history of the next finished payments to a file, and deletes it from the database; returns 1 while there
 * is more. A killed process leaves a file that no record names, and changes nothing else.
 */
export const archiveHistory = async (context: Context): Promise<number> => {
  const { settings, files } = context
  const now = context.clock()
  const [verified] = await context.query(findVerifiedUntil, {})
  if (settings.archiveAfterDays === undefined || !files || !verified) return 0
  // By whole days, so that a day produces few files.
  const wanted = Math.floor(now / day) * day - settings.archiveAfterDays * day
  const before = Math.min(wanted, verified.until)
  const by = context.newId()
  const [progress] = await context.query(leaseArchive, { by, now, until: now + leaseMs })
  if (!progress) return 0
  const { beganAt, doneUntil } = progress
  try {
    // If the clock was ahead, the last pass does not count.
    if (doneUntil !== null && Math.abs(before - doneUntil) < day) return 0
    // The first pass continues until it is finished: its age shows how far the archive lags.
    if (beganAt === null || (doneUntil !== null && beganAt < now - againMs)) await context.query(beginPass, { by, now })
    const result = await archiveNext(context, { by, before }, firstIdAt(before))
    if (result === 'none') await context.query(finishPass, { by, until: before })
    return result === 'some' ? 1 : 0
  } finally {
    await context.query(releaseArchive, { by })
  }
}
