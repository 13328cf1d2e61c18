import { audit, type AuditFilterQuery } from '../../operations/audit.ts'
import { type AuditFilter, findInAudit, listAuditEntries } from '../../engine/audit/read.ts'
import { verifyAudit } from '../../engine/audit/verify-audit.ts'
import { pageSize } from '../routes/lists.ts'
import { readBody } from '../routes/read-body.ts'
import { bindOperations } from '../routes/bind-operations.ts'

type Entry = Awaited<ReturnType<typeof listAuditEntries>>[number]

const toAnswer = (row: Entry) => ({ ...row, details: JSON.parse(row.details) as Record<string, unknown> })

const readAuditFilter = ({ actor, action, subject, from, to }: AuditFilterQuery): AuditFilter => ({
  actor: actor ?? null,
  action: action ?? null,
  subject: subject ?? null,
  ...readBody((read) => ({
    since: from === undefined ? null : read.instant(from, 'from'),
    until: to === undefined ? null : read.instant(to, 'to'),
  })),
})

export const auditRoutes = bindOperations(audit, {
  audit: async (context, request) => {
    const { after, limit } = request.query
    const rows = await listAuditEntries(context, after === undefined ? null : BigInt(after), pageSize(limit))
    return { entries: rows.map(toAnswer) }
  },
  find: async (context, { query }) => {
    const before = query.cursor === undefined ? null : BigInt(query.cursor)
    const { entries, next } = await findInAudit(context, readAuditFilter(query), before, pageSize(query.limit))
    return { entries: entries.map(toAnswer), nextCursor: next?.toString() }
  },
  verify: async (context) => {
    const broken = await verifyAudit(context)
    return { isWhole: broken.length === 0, broken: broken.slice(0, 100).map(Number) }
  },
})
