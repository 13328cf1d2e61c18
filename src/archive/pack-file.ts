import { gunzipSync, gzipSync } from 'node:zlib'
import { formatInstant, type Instant } from '../domain/time.ts'
import { hexHash } from '../secrets/hashes.ts'

/** The archived data of a payment; events, acknowledgements and notifications are JSON as the database writes it. */
export type ArchivedPayment = {
  readonly merchantId: string
  readonly paymentId: string
  readonly orderId: string
  readonly sequence: number
  readonly createdAt: Instant
  readonly events: string
  readonly acknowledgements: string
  readonly notifications: string
}

/** The file that contains a payment's history, and how to verify that it is the one that was written. */
export type ArchiveFile = { readonly number: number; readonly id: string; readonly hash: string }

/** How many of each a file contains. */
export type Counts = {
  readonly payments: number
  readonly events: number
  readonly acknowledgements: number
  readonly notifications: number
}

type Header = Counts & {
  readonly format: typeof format
  readonly number: number
  readonly createdFrom: string
  readonly createdUntil: string
  /** SHA-256 of the previous file as stored; empty for the first one. */
  readonly previous: string
  /** SHA-256 of the lines after this one. */
  readonly sha256: string
}

const format = 'payin-archive-1'

/** The line of a payment. Payments with equal lines have the same history. */
export const lineOf = ({ merchantId, paymentId, orderId, ...kept }: ArchivedPayment): string =>
  `{"merchantId":"${merchantId}","paymentId":"${paymentId}","orderId":${JSON.stringify(orderId)},"events":${kept.events},"acknowledgements":${kept.acknowledgements},"notifications":${kept.notifications}}`

const countOf = (json: string): number => (JSON.parse(json) as readonly unknown[]).length

/** The folder of the archive. */
export const archiveFolder = 'archive'

/** The name of a stored file. */
export const nameOf = ({ number, id }: Pick<ArchiveFile, 'number' | 'id'>): string =>
  `${archiveFolder}/${String(number).padStart(8, '0')}-${id}.jsonl.gz`

/** A file of payments: compressed JSON lines, the first one about the file itself. */
export const packFile = (
  payments: readonly ArchivedPayment[],
  of: { readonly number: number; readonly previous: string },
) => {
  const times = payments.map(({ createdAt }) => createdAt)
  const [firstAt, lastAt] = [Math.min(...times), Math.max(...times)]
  const body = Buffer.from(payments.map((payment) => `${lineOf(payment)}\n`).join(''))
  const counts: Counts = { payments: payments.length, events: 0, acknowledgements: 0, notifications: 0 }
  for (const part of ['events', 'acknowledgements', 'notifications'] as const)
    Object.assign(counts, { [part]: payments.reduce((sum, payment) => sum + countOf(payment[part]), 0) })
  const header: Header = {
    ...{ format, ...of, createdFrom: formatInstant(firstAt), createdUntil: formatInstant(lastAt) },
    ...{ ...counts, sha256: hexHash(body) },
  }
  const content = gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]))
  return { content, hash: hexHash(content), counts, firstAt, lastAt }
}

/** A file's record of a payment, as of its archiving. */
export type ArchivedHistory = {
  readonly merchantId: string
  readonly paymentId: string
  readonly orderId: string
  readonly events: readonly Readonly<Record<string, unknown>>[]
  readonly acknowledgements: readonly Readonly<Record<string, unknown>>[]
  readonly notifications: readonly Readonly<Record<string, unknown>>[]
}

/** Whether a stored content is the one that was written. */
export const isWhole = (content: Uint8Array, hash: string): boolean => hexHash(content) === hash

/** Unpacks a file and checks it. Throws a readable error if it is damaged. */
export const unpackFile = (content: Uint8Array): { readonly header: Header; readonly lines: readonly string[] } => {
  const unpacked = gunzipSync(content)
  const end = unpacked.indexOf(10)
  const header = JSON.parse(unpacked.subarray(0, end).toString()) as Header
  if ((header.format as string) !== format) throw new Error(`it is not of the format ${format}`)
  const body = unpacked.subarray(end + 1)
  if (hexHash(body) !== header.sha256) throw new Error('its lines are not those that its first line names')
  return { header, lines: body.toString().split('\n').slice(0, -1) }
}

/** The history of a payment in the lines of a file. */
export const findHistory = (lines: readonly string[], paymentId: string): ArchivedHistory | undefined => {
  const line = lines.find((each) => each.includes(`"paymentId":"${paymentId}"`))
  return line === undefined ? undefined : (JSON.parse(line) as ArchivedHistory)
}
