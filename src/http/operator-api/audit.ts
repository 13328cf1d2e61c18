import { type Static, Type } from 'typebox'
import { listAuditEntries } from '../../audit/read.ts'
import { Time, wireTime } from '../fields.ts'
import { PageQuery, pageSize, SequenceNumber } from '../paging.ts'
import { routesForOperators } from '../routes.ts'

const EntryAnswer = Type.Object({
  sequence: Type.Integer(),
  at: Time,
  actor: Type.String({ examples: ['operator:operator', 'merchant:019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'] }),
  action: Type.String({ examples: ['merchant.create'] }),
  subject: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
  hash: Type.String({ description: 'SHA-256 over this entry and the previous hash.' }),
})

/** An entry of the audit. */
export type EntryAnswer = Static<typeof EntryAnswer>

/** The audit. */
export const auditRoute = routesForOperators().get('/audit', {
  id: 'listAudit',
  duty: 'read',
  summary: 'List what operators did',
  description: 'Includes what merchants did with their endpoints. In order. Without `after`: the last entries.',
  query: {
    after: Type.Optional(
      SequenceNumber({
        description: 'Only entries with a greater sequence number.',
      }),
    ),
    limit: PageQuery.limit,
  },
  answer: { entries: Type.Array(EntryAnswer) },
  handle: async (context, request) => {
    const { after, limit } = request.query
    const rows = await listAuditEntries(context, after === undefined ? null : BigInt(after), pageSize(limit))
    return {
      entries: rows.map((row) => ({
        sequence: Number(row.sequence),
        at: wireTime(row.at),
        actor: row.actor,
        action: row.action,
        subject: row.subject,
        details: JSON.parse(row.details) as Record<string, unknown>,
        hash: row.hash,
      })),
    }
  },
})
