import { Id, Time } from './fields.ts'
import { PageQuery, SequenceNumber } from './lists.ts'
import { operation } from './operation.ts'
import { type Static, presented, Type } from './schema.ts'

const AuditEntryAnswer = Type.Titled('AuditEntry', {
  sequence: Type.Integer({ heading: '#' }),
  at: Time,
  'credential?': Type.Text(
    'The account (`account:{id}`) or token (`token:` and the beginning of its hash) that proved it.',
    'token:9f86d081884c7d65',
  ),
  'sessionId?': presented(Id, 'The session of the console.'),
  actor: Type.String({
    examples: ['operator:operator', 'merchant:019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'],
    ...{ kind: 'word', heading: 'By' },
  }),
  action: Type.String({ examples: ['merchant.create'], kind: 'word', heading: 'Did' }),
  subject: Type.String({ kind: 'id', heading: 'To' }),
  details: Type.Record(Type.String(), Type.Unknown()),
  hash: Type.Text('SHA-256 over this entry and the previous hash.'),
})
export type AuditEntryAnswer = Static<typeof AuditEntryAnswer>

const AuditFilterQuery = {
  'actor?': Type.Printable(200, { description: 'Who did it.', examples: ['operator:anna'] }),
  'action?': Type.Printable(100, { description: 'What was done, or the beginning of it.', examples: ['merchant.'] }),
  'subject?': Type.Printable(200, {
    description: 'What it was done to, or the beginning of that.',
    examples: ['member:anna'],
  }),
  'from?': presented(Time, 'At this time or later.'),
  'to?': presented(Time, 'Before this time.'),
}

export type AuditFilterQuery = Static<ReturnType<typeof Type.Object<typeof AuditFilterQuery>>>

export const audit = {
  audit: operation('GET /audit', 'read', {
    id: 'listAudit',
    summary: 'List what operators did',
    description: 'Oldest first, including what merchants did with their endpoints. Without `after`: the last entries.',
    query: {
      'after?': SequenceNumber({
        description: 'Only entries with a greater sequence number.',
      }),
      'limit?': PageQuery['limit?'],
    },
    answer: { entries: Type.Array(AuditEntryAnswer) },
    command: {
      about: 'Show what operators did: the last audit entries, or those after a number.',
      columns: ['at', 'action', 'subject', 'actor', 'sequence', 'details'],
      empty: 'No entries after this one.',
    },
  }),
  find: operation('GET /audit/entries', 'read', {
    id: 'findInAudit',
    summary: 'Find what was done, by whom, to what and when',
    description:
      'Newest first. A page checks at most 100,000 entries: it may have few or none, and still a `nextCursor`.',
    query: {
      ...AuditFilterQuery,
      'cursor?': SequenceNumber({ description: 'Where the page starts, as the previous one says (`nextCursor`).' }),
      'limit?': PageQuery['limit?'],
    },
    answer: { entries: Type.Array(AuditEntryAnswer), 'nextCursor?': Type.String() },
    exports: { rows: 'entries', columns: 'sequence,at,actor,action,subject,details,credential,hash' },
  }),
  verify: operation('GET /audit/verify', 'read', {
    id: 'verifyAudit',
    summary: 'Check the chain of the audit',
    description: 'Reads the whole audit: do not call it every minute.',
    answer: {
      isWhole: Type.Boolean(),
      broken: Type.Array(Type.Integer(), {
        description: 'Sequence numbers of the first entries that break the chain.',
      }),
    },
  }),
}
