import { type Static, Type } from '../../operations/schema.ts'
import { type AuditFilter, findInAudit, listAuditEntries } from '../../engine/audit/read.ts'
import { verifyAudit } from '../../engine/audit/verify-audit.ts'
import { Id, Time, wire } from '../../operations/fields.ts'
import { pageSize } from '../routes/lists.ts'
import { PageQuery, SequenceNumber } from '../../operations/lists.ts'
import { readBody } from '../routes/read-body.ts'
import { routesForOperators } from '../routes/routes.ts'

const AuditEntryAnswer = Type.Titled('AuditEntry', {
  sequence: Type.Integer(),
  at: Time,
  credential: Type.Optional(
    Type.Text(
      'The account (`account:{id}`) or token (`token:` and the beginning of its hash) that proved it.',
      'token:9f86d081884c7d65',
    ),
  ),
  sessionId: Type.Optional(Id, 'The session of the console.'),
  actor: Type.String({ examples: ['operator:operator', 'merchant:019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'] }),
  action: Type.String({ examples: ['merchant.create'] }),
  subject: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
  hash: Type.Text('SHA-256 over this entry and the previous hash.'),
})

export type AuditEntryAnswer = Static<typeof AuditEntryAnswer>

type Entry = Awaited<ReturnType<typeof listAuditEntries>>[number]

const toAnswer = ({ credential, sessionId, ...row }: Entry): AuditEntryAnswer => ({
  ...row,
  ...wire.fields({ credential, sessionId }),
  sequence: Number(row.sequence),
  at: wire.time(row.at),
  details: JSON.parse(row.details) as Record<string, unknown>,
})

const AuditFilterQuery = {
  actor: Type.Optional(Type.Printable(200, { description: 'Who did it.', examples: ['operator:anna'] })),
  action: Type.Optional(
    Type.Printable(100, { description: 'What was done, or the beginning of it.', examples: ['merchant.'] }),
  ),
  subject: Type.Optional(
    Type.Printable(200, { description: 'What it was done to, or the beginning of that.', examples: ['member:anna'] }),
  ),
  from: Type.Optional(Time, 'At this time or later.'),
  to: Type.Optional(Time, 'Before this time.'),
}

type AuditFilterQuery = Static<ReturnType<typeof Type.Object<typeof AuditFilterQuery>>>

const readAuditFilter = ({ actor, action, subject, from, to }: AuditFilterQuery): AuditFilter => ({
  actor: actor ?? null,
  action: action ?? null,
  subject: subject ?? null,
  ...readBody((read) => ({
    since: from === undefined ? null : read.instant(from, 'from'),
    until: to === undefined ? null : read.instant(to, 'to'),
  })),
})

export const auditRoutes = routesForOperators()

auditRoutes.get('/audit', 'read', {
  id: 'listAudit',
  summary: 'List what operators did',
  description: 'Oldest first, including what merchants did with their endpoints. Without `after`: the last entries.',
  query: {
    after: Type.Optional(
      SequenceNumber({
        description: 'Only entries with a greater sequence number.',
      }),
    ),
    limit: PageQuery.limit,
  },
  answer: { entries: Type.Array(AuditEntryAnswer) },
  handle: async (context, request) => {
    const { after, limit } = request.query
    const rows = await listAuditEntries(context, after === undefined ? null : BigInt(after), pageSize(limit))
    return { entries: rows.map(toAnswer) }
  },
})

auditRoutes.get('/audit/entries', 'read', {
  id: 'findInAudit',
  summary: 'Find what was done, by whom, to what and when',
  description:
    'Newest first. A page checks at most 100,000 entries: it may have few or none, and still a `nextCursor`.',
  query: {
    ...AuditFilterQuery,
    cursor: Type.Optional(
      SequenceNumber({ description: 'Where the page starts, as the previous one says (`nextCursor`).' }),
    ),
    limit: PageQuery.limit,
  },
  answer: { entries: Type.Array(AuditEntryAnswer), nextCursor: Type.Optional(Type.String()) },
  exports: { rows: 'entries', columns: 'sequence,at,actor,action,subject,details,credential,hash' },
  handle: async (context, { query }) => {
    const before = query.cursor === undefined ? null : BigInt(query.cursor)
    const { entries, next } = await findInAudit(context, readAuditFilter(query), before, pageSize(query.limit))
    return { entries: entries.map(toAnswer), ...(next === null ? {} : { nextCursor: String(next) }) }
  },
})

auditRoutes.get('/audit/verify', 'read', {
  id: 'verifyAudit',
  summary: 'Check the chain of the audit',
  description: 'Reads the whole audit: do not call it every minute.',
  answer: {
    isWhole: Type.Boolean(),
    broken: Type.Array(Type.Integer(), { description: 'Sequence numbers of the first entries that break the chain.' }),
  },
  handle: async (context) => {
    const broken = await verifyAudit(context)
    return { isWhole: broken.length === 0, broken: broken.slice(0, 100).map(Number) }
  },
})
