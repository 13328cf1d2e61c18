import { type Static, Type } from '../schema.ts'
import { countFiles, type FromArchive, listFiles, readArchived, readStatus, verifyFile } from '../../archive/read.ts'
import { Refusal } from '../../domain/refusal.ts'
import { Id, Time, wire } from '../fields.ts'
import { PageQuery, pageSize, SequenceNumber } from '../lists.ts'
import { routesForOperators } from '../routes.ts'
import { MerchantAndId } from './operator-fields.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })
const FileNumber = Type.Integer({ minimum: 1, description: 'Number of the file, from 1.', examples: [1] })
const FileName = Type.Text(
  'Name in the storage of files.',
  'archive/00000001-019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10.jsonl.gz',
)

const kept = {
  payments: Count('Finished payments whose history was archived.'),
  events: Count('Changes of their status.'),
  notifications: Count('Notifications to their merchants.'),
  acknowledgements: Count('Their acknowledgements.'),
  bytes: Count('Size as stored, compressed.'),
}

const ArchiveStatus = Type.Titled('ArchiveStatus', {
  afterDays: Type.Optional(Type.Whole('`PAYIN_ARCHIVE_AFTER_DAYS`; absent if it is off.')),
  files: Count('Files.'),
  ...kept,
  lastCreatedAt: Type.Optional(Time, 'When the newest payment in the archive was created.'),
  doneUntil: Type.Optional(Time, 'Finished payments older than this are in the archive.'),
  verifiedUntil: Type.Optional(Time, 'Only what the doctor has verified is archived.'),
  lagging: Type.Flag('Whether finished payments have waited for more than two days.'),
})

/** The size of the archive. */
export type ArchiveStatus = Static<typeof ArchiveStatus>

const ArchiveFile = Type.Titled('ArchiveFile', {
  number: FileNumber,
  name: FileName,
  ...kept,
  firstCreatedAt: { ...Time, description: 'When its oldest payment was created.' },
  lastCreatedAt: { ...Time, description: 'When its newest payment was created.' },
  sha256: Type.Text(
    'SHA-256 of the file as stored.',
    '5f1d2c3b4a01e2d3c4b5a6978877665544332211ffeeddccbbaa998877665544',
  ),
  archivedAt: Time,
})

export type ArchiveFileAnswer = Static<typeof ArchiveFile>

/** Where the history of a payment is. */
export const ArchivedIn = Type.Object({
  file: FileNumber,
  name: FileName,
  archivedAt: Time,
  problem: Type.Optional(Type.Text('Why the file cannot be read.')),
})

/** The wire form of where the history of a payment is. */
export const toArchivedIn = ({ file, name, archivedAt, problem }: FromArchive): Static<typeof ArchivedIn> => ({
  ...{ file, name, archivedAt: wire.time(archivedAt) },
  ...(problem !== undefined && { problem }),
})

const Row = Type.Record(Type.String(), Type.Unknown(), {
  description: 'A row, with its names in the database.',
  examples: [{ sequence: 2, status: 'paid', status_reason: 'exact', actor: 'bank', at: '2026-01-31T12:34:56+00:00' }],
})

const ArchivedPayment = Type.Titled('ArchivedPayment', {
  ...ArchivedIn.properties,
  merchantId: Id,
  paymentId: Id,
  orderId: Type.Optional(Type.String()),
  events: Type.Optional(Type.Array(Row)),
  acknowledgements: Type.Optional(Type.Array(Row)),
  notifications: Type.Optional(Type.Array(Row)),
})

export type ArchivedPaymentAnswer = Static<typeof ArchivedPayment>

// No archive has more files than an integer of the database can count.
const fileNumber = (text: string): number => Math.min(Number(text), 2_147_483_647)

const numbers = (row: Record<keyof typeof kept, bigint | number>) => ({
  payments: Number(row.payments),
  events: Number(row.events),
  notifications: Number(row.notifications),
  acknowledgements: Number(row.acknowledgements),
  bytes: Number(row.bytes),
})

/** The archive of old history. */
export const archiveRoutes = routesForOperators()

archiveRoutes.get('/archive', 'read', {
  id: 'getArchiveStatus',
  summary: 'Show how much is in the archive, and whether it lags',
  description:
    'If `PAYIN_ARCHIVE_AFTER_DAYS` is set, the history of finished payments is moved to files after that time.',
  answer: ArchiveStatus,
  handle: async (context) => {
    const status = await readStatus(context)
    return wire.fields({
      afterDays: status.afterDays,
      files: status.files,
      ...numbers(status),
      lastCreatedAt: wire.time(status.lastAt),
      doneUntil: wire.time(status.doneUntil),
      verifiedUntil: wire.time(status.verifiedUntil),
      lagging: status.isLagging,
    })
  },
})

archiveRoutes.get('/archive/files', 'read', {
  id: 'listArchiveFiles',
  summary: 'List the files of the archive',
  description: 'Newest first.',
  query: {
    before: Type.Optional(SequenceNumber({ description: 'Only files before this one.' })),
    limit: PageQuery.limit,
  },
  answer: {
    files: Type.Array(ArchiveFile),
    nextBefore: Type.Optional(Type.Whole('`before` of the next page; present when there are more.')),
  },
  exports: 'files',
  handle: async (context, { query: { before, limit } }) => {
    const size = pageSize(limit)
    const found = await listFiles(context, before === undefined ? null : fileNumber(before), size + 1)
    const files = found.slice(0, size)
    const last = files.at(-1)
    return {
      ...(found.length > size && last ? { nextBefore: last.number } : {}),
      files: files.map((file) => ({
        ...{ number: file.number, name: file.name, sha256: file.hash, ...numbers(file) },
        firstCreatedAt: wire.time(file.firstAt),
        lastCreatedAt: wire.time(file.lastAt),
        archivedAt: wire.time(file.archivedAt),
      })),
    }
  },
})

archiveRoutes.get('/archive/files/:number/verification', 'read', {
  id: 'verifyArchiveFile',
  summary: 'Read a file of the archive and check it against its record',
  description: 'Checks its hash, that of the file before it, its counts, and its payments.',
  params: { number: SequenceNumber({ description: 'Number of the file, from 1.', examples: ['1'] }) },
  answer: Type.Titled('ArchiveVerification', {
    number: FileNumber,
    files: Count('How many files there are.'),
    problem: Type.Optional(Type.Text('What is wrong; absent if the file is intact.')),
  }),
  refusals: ['resource_not_found'],
  handle: async (context, { params }) => {
    const number = fileNumber(params.number)
    const files = await countFiles(context)
    if (number < 1 || number > files) throw new Refusal('resource_not_found', `The archive has ${files} files.`)
    const problem = await verifyFile(context, number)
    return { number, files, ...(problem !== undefined && { problem }) }
  },
})

archiveRoutes.get('/archive/payments/:merchantId/:id', 'read', {
  id: 'getArchivedPayment',
  summary: 'Read what the archive has about a payment',
  description: 'Its events, acknowledgements and notifications, as stored. If they are missing, `problem` says why.',
  params: MerchantAndId,
  answer: ArchivedPayment,
  refusals: ['resource_not_found'],
  handle: async (context, { params: { merchantId, id } }) => {
    const archived = await readArchived(context, merchantId, id)
    if (!archived) throw new Refusal('resource_not_found', 'The archive has nothing about this payment.')
    const { orderId, events, acknowledgements, notifications } = archived.history ?? {}
    return {
      ...{ ...toArchivedIn(archived), merchantId, paymentId: id },
      ...(orderId !== undefined && { orderId }),
      ...(events && { events: [...events] }),
      ...(acknowledgements && { acknowledgements: [...acknowledgements] }),
      ...(notifications && { notifications: [...notifications] }),
    }
  },
})
