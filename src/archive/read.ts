import type { Context } from '../context.ts'
import { day, formatInstant, type Instant } from '../domain/time.ts'
import { listPaymentEvents } from '../payments/read.ts'
import { type ArchivedHistory, archiveFolder, findHistory, isWhole, nameOf, unpackFile } from './pack-file.ts'
import {
  findFile,
  findFileOf,
  findLastFile,
  findProgress,
  findVerifiedUntil,
  listArchivedOf,
  listFileIds,
  selectFiles,
  sumFiles,
} from './store.ts'

/** The archive lags if finished payments wait this long: one pass a day is usual. */
const mostLagMs = 2 * day

/** What the archive contains, and for how long finished payments have waited for it: null if it is off. */
export const readStatus = async (context: Context) => {
  const { files, settings, clock } = context
  const [sums] = await context.query(sumFiles, {})
  const [progress] = await context.query(findProgress, {})
  const [verified] = await context.query(findVerifiedUntil, {})
  const isOn = settings.archiveAfterDays !== undefined && files !== undefined
  const doneUntil = progress?.doneUntil ?? null
  const beganAt = progress?.beganAt ?? clock()
  const age = clock() - (doneUntil ?? beganAt) - (doneUntil === null ? 0 : (settings.archiveAfterDays ?? 0) * day)
  const lagMs = isOn ? Math.max(0, age) : null
  return {
    ...{
      files: 0,
      payments: 0n,
      events: 0n,
      notifications: 0n,
      acknowledgements: 0n,
      bytes: 0n,
      lastAt: null,
      lastFileAt: null,
    },
    ...sums,
    afterDays: settings.archiveAfterDays ?? null,
    doneUntil,
    verifiedUntil: verified?.until ?? null,
    lagMs,
    isLagging: lagMs !== null && lagMs > mostLagMs,
  }
}

/** The files before one, the newest first. */
export const listFiles = async (context: Context, before: number | null, limit: number) => {
  const rows = await context.query(selectFiles, { before, limit })
  return rows.map((row) => ({ ...row, name: nameOf(row) }))
}

const listStored = async ({ files }: Context): Promise<Set<string> | undefined> => {
  const stored = new Set<string>()
  if (!files) return stored
  try {
    for await (const names of files.list(archiveFolder)) for (const name of names) stored.add(name)
    return stored
  } catch {
    return undefined
  }
}

/** The doctor's findings about the archive: recorded files that are missing from the storage, and what to do. */
export const examineArchive = async (context: Context): Promise<{ missing: string[]; notes: string[] }> => {
  const { isLagging, files, doneUntil } = await readStatus(context)
  const lag = isLagging
    ? [
        `The archive lags: what finished before ${doneUntil === null ? 'its first day' : formatInstant(doneUntil)} is there, and nothing since. See the log of the workers for archive-history.`,
      ]
    : []
  // Read before the names: a file is stored before it is recorded.
  const recorded = (await context.query(listFileIds, {})).map(nameOf)
  if (files === 0 && !context.files) return { missing: [], notes: lag }
  const stored = await listStored(context)
  if (!stored)
    return { missing: [], notes: [...lag, 'The storage of files is out of reach: the archive in it was not checked.'] }
  const known = new Set(recorded)
  const strays = [...stored].filter((name) => !known.has(name))
  return {
    missing: recorded.filter((name) => !stored.has(name)),
    notes: [
      ...lag,
      ...(strays.length === 0
        ? []
        : [
            `${strays.length} file(s) of the archive are not recorded, such as ${strays[0]}: a process ended while it archived. What is in them is also in the database or in other files.`,
          ]),
    ],
  }
}

/** What is wrong with a file; undefined if it is whole and matches its record. */
export const verifyFile = async (context: Context, number: number): Promise<string | undefined> => {
  const { files } = context
  const [file] = await context.query(findFile, { number })
  if (!file) return 'is not recorded'
  const [before] = await context.query(findFile, { number: number - 1 })
  if (file.previousHash !== (before?.hash ?? '')) return 'does not follow the file before it'
  if (!files) return 'cannot be read: PAYIN_FILE_STORAGE is not set'
  const content = await files.get(nameOf(file)).catch(() => null)
  if (content === null) return 'cannot be read: the storage of files is out of reach'
  if (!content) return 'is not in the storage'
  if (!isWhole(content, file.hash)) return 'is not what was written: its hash differs'
  const { header, lines } = unpackFile(content)
  if (header.number !== number || header.previous !== file.previousHash)
    return 'belongs at another position in the chain'
  const counts = [header.payments, header.events, header.notifications, header.acknowledgements].join()
  const recorded = [file.payments, file.events, file.notifications, file.acknowledgements].join()
  if (counts !== recorded || lines.length !== file.payments) return 'has other counts than were recorded'
  const archived = await context.query(listArchivedOf, { number })
  const events = new Map(archived.map(({ paymentId, sequence }) => [paymentId, sequence]))
  for (const line of lines) {
    const history = JSON.parse(line) as ArchivedHistory
    if (events.get(history.paymentId) !== history.events.length) return 'has other payments than were recorded'
    events.delete(history.paymentId)
  }
  return events.size > 0 ? 'lacks payments that were recorded' : undefined
}

/** The number of the newest file; 0 without one. */
export const countFiles = async (context: Context): Promise<number> =>
  (await context.query(findLastFile, {}))[0]?.number ?? 0

/** Where the history of a payment up to a sequence is, with the history, unless the file cannot be read. */
export type FromArchive = {
  readonly file: number
  readonly name: string
  readonly archivedAt: Instant
  readonly sequence: number
  readonly history: ArchivedHistory | undefined
  /** Why there is no history. */
  readonly problem: string | undefined
}

/** The archived history of a payment; undefined if there is none. */
export const readArchived = async (
  context: Context,
  merchantId: string,
  paymentId: string,
): Promise<FromArchive | undefined> => {
  const [file] = await context.query(findFileOf, { merchantId, paymentId })
  if (!file) return undefined
  const name = nameOf(file)
  const of = { file: file.number, name, archivedAt: file.archivedAt, sequence: file.sequence }
  const failed = (problem: string) => {
    context.meter.count('payin_archive_failures_total', {})
    context.log.error({ name, problem }, 'a file of the archive cannot be read')
    return { ...of, history: undefined, problem }
  }
  if (!context.files) return failed('PAYIN_FILE_STORAGE is not set')
  const content = await context.files.get(name).catch(() => null)
  if (content === null) return failed('the storage of files is out of reach')
  if (content === undefined) return failed('it is not in the storage of files')
  if (!isWhole(content, file.hash)) return failed('its hash differs')
  const history = findHistory(unpackFile(content).lines, paymentId)
  return history ? { ...of, history, problem: undefined } : failed('it does not have the payment')
}

type PaymentEvent = Awaited<ReturnType<typeof listPaymentEvents>>[number]

const toEvent =
  (paymentId: string) =>
  ({ at, status_reason: statusReason, ...event }: Readonly<Record<string, unknown>>): PaymentEvent =>
    ({ ...event, paymentId, statusReason, at: Date.parse(String(at)) }) as PaymentEvent

/** Every status change of a payment, the oldest first, and the file with the earlier ones, if archived. */
export const listAllEvents = async (
  context: Context,
  merchantId: string,
  paymentId: string,
): Promise<{ readonly events: readonly PaymentEvent[]; readonly archived: FromArchive | undefined }> => {
  // In this order, so that events archived meanwhile are found twice instead of missed.
  const events = await listPaymentEvents(context, merchantId, paymentId)
  const archived = await readArchived(context, merchantId, paymentId)
  if (!archived) return { events, archived }
  const later = events.filter(({ sequence }) => sequence > archived.sequence)
  return { events: [...(archived.history?.events.map(toEvent(paymentId)) ?? []), ...later], archived }
}
