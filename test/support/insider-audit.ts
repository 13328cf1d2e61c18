// What the audit must have about an operator: an entry for each act, and an act for each entry and each row.
import assert from 'node:assert/strict'
import { bigint, instant, nullable, query, text } from 'payin-database'
import type { TestService } from './service.ts'

/** A request of an operator that the service has accepted: method and path, and the fields of its body and of the answer. */
// oxlint-disable-next-line typescript/no-explicit-any -- as in Answer
export type Act = { readonly call: string; readonly fields: any }

type Named = { readonly requisiteId: string; readonly id: string; readonly decision: string; readonly state: string }

const decided: Readonly<Record<string, string>> = {
  ...{ assign: 'assign', accept: 'assign' },
  ...{ ignore: 'ignore', 'same-money': 'ignore', 'other-money': 'ignore' },
}

/**
 * The entries that an act writes, as `action subject`; `*` is a part of the path, which the function gets after the
 * fields. Each act writes one, also if it is repeated and changes nothing. Only a decision about several transfers has
 * one for each, and none for those that it refused: nothing was decided about them.
 */
const entries: readonly (readonly [call: string, write: (fields: Act['fields'], ...parts: string[]) => string[]])[] = [
  ['POST /transfers', ({ transfers: [made] }) => [`transfers.record transfer:${made.id}`]],
  [
    'POST /transfers/decide',
    ({ transfers }) =>
      (transfers as Named[])
        .filter(({ state }) => state === 'done')
        .map((each) => `transfer.${decided[each.decision]} transfer:${each.requisiteId}/${each.id}`),
  ],
  ['POST /transfers/*/*/unassign', (_, requisiteId, id) => [`transfer.unassign transfer:${requisiteId}/${id}`]],
  ['POST /statements', ({ id }) => [`statement.upload statement:${id}`]],
  ['POST /statements/*/confirm', (_, id) => [`statement.confirm statement:${id}`]],
  ['POST /statement-sources', ({ id }) => [`source.add source:${id}`]],
  ['POST /statement-sources/*/key', (_, id) => [`source.key source:${id}`]],
  ['POST /statement-sources/*/approve', (_, id) => [`source.approve source:${id}`]],
  ['POST /feeds/*', (_, id) => [`transfers.push source:${id}`]],
  ['PUT /rates/*', (_, currency) => [`rate.set currency:${currency}`]],
  ['PUT /rates/*/override', (_, currency) => [`rate.override currency:${currency}`]],
  ['DELETE /rates/*/override', (_, currency) => [`rate.override-end currency:${currency}`]],
  ['POST /rate-sources', ({ id }) => [`rate-source.add rate-source:${id}`]],
  ['POST /rate-sources/*/accept', (_, id) => [`rate-source.accept rate-source:${id}`]],
  ['DELETE /rate-sources/*', (_, id) => [`rate-source.remove rate-source:${id}`]],
  ['POST /payments/*/*/disputes', (_, merchantId, id) => [`dispute.open payment:${merchantId}/${id}`]],
  ['POST /disputes/*/*/decision', (_, merchantId, id) => [`dispute.accept dispute:${merchantId}/${id}`]],
  ['POST /disputes/*/*/confirm', (_, merchantId, id) => [`dispute.confirm dispute:${merchantId}/${id}`]],
  [
    'POST /overpayments/*/*/decisions',
    ({ decision }, merchantId, id) => [`overpayment.${decision} payment:${merchantId}/${id}`],
  ],
  ['POST /ledger/adjustments', ({ book, id }) => [`adjustment.create adjustment:${book}/${id}`]],
  ['PATCH /merchants/*/terms/*', (_, id) => [`terms.set merchant:${id}`]],
  ['POST /settlements', ({ merchantId, id }) => [`settlement.create settlement:${merchantId}/${id}`]],
  ['POST /settlements/*/*/*', (_, merchantId, id, step) => [`settlement.${step} settlement:${merchantId}/${id}`]],
  ['POST /refunds/*/*/*', (_, merchantId, id, step) => [`refund.${step} refund:${merchantId}/${id}`]],
  ['POST /destinations/*/*/approve', (_, merchantId, id) => [`destination.approve destination:${merchantId}/${id}`]],
  ['POST /destinations', ({ merchantId, id }) => [`destination.propose destination:${merchantId}/${id}`]],
  ['POST /outgoing/*/*/*', (_, requisiteId, id, verb) => [`outgoing.${verb} outgoing:${requisiteId}/${id}`]],
  [
    'PUT /ledger/opening-balances',
    ({ balances: [{ requisiteId }] }) => [`opening-balance.set requisite:${requisiteId}`],
  ],
  ['POST /requisites', ({ ids: [id] }) => [`requisites.add requisite:${id}`]],
  ['PATCH /requisites/*', (_, id) => [`requisite.update requisite:${id}`]],
  ['PATCH /merchants/*', (_, id) => [`merchant.update merchant:${id}`]],
  ['POST /merchants/*/tokens', ({ id }) => [`token.issue token:${id}`]],
  ['POST /tokens/*/revoke', (_, id) => [`token.revoke token:${id}`]],
  ['POST /members/invitations', ({ name }) => [`member.invite member:${name}`]],
  ['DELETE /members/invitations/*', (_, name) => [`member.revoke_invitation member:${name}`]],
]

const patterns = entries.map(([call, write]) => ({
  pattern: new RegExp(`^${call.replaceAll('*', '([^/]+)')}$`),
  write,
}))

const entriesOf = ({ call, fields }: Act): string[] => {
  for (const { pattern, write } of patterns) {
    const found = pattern.exec(call)
    if (found) return write(fields, ...found.slice(1))
  }
  throw new Error(`nobody has said what the audit has about ${call}`)
}

/**
 * What rows say that operators did: by whom, when, and as which entry of the audit. The columns after `at` are the
 * beginning of its action, its subject, and what its subject or details mention; null or '' where that is not fixed.
 */
const listFacts = query('test_list_facts', {
  parameters: { since: instant },
  row: { fact: text, actor: text, at: nullable(instant), action: text, subject: text, mention: text },
  text: `select * from (
      select 'settlement ' || status as fact, actor, at,
          'settlement.' || case status when 'requested' then 'request' when 'approved' then 'approve'
            when 'paid' then 'pay' when 'canceled' then 'cancel' when 'failed' then 'fail'
            else case sequence when 1 then 'create' else 'approve' end end as action,
          'settlement:' || merchant_id || '/' || settlement_id as subject, '' as mention
        from settlement_events where at >= :since
          -- Outgoing money that is booked to a settlement pays it, too.
          and not (status = 'paid' and exists (select from audit_entries
            where audit_entries.at = settlement_events.at and action like 'outgoing.%'))
      union all select 'transfer typed in', reported_by, recorded_at, 'transfers.record', '', id::text
        from transfers where source = 'operator' and recorded_at >= :since
      union all select 'transfer reported alone', reported_by, null, '', '', ''
        from transfers where source <> 'operator' and recorded_at >= :since
      union all select 'money of a transfer', decided_by, decided_at, '', '', transfer_id::text
        from transfer_parts where decided_at >= :since
      union all select 'status of a payment', actor, at, '', '', '' from payment_events where at >= :since
      union all select 'dispute ' || kind, actor, at, 'dispute.', '', dispute_id::text
        from dispute_events where at >= :since
      -- A refund is also what an outgoing transfer was confirmed as.
      union all select 'overpayment ' || decision, decided_by, decided_at, '', '', payment_id::text
        from overpayment_decisions where decided_at >= :since
      union all select 'outgoing ' || purpose, decided_by, decided_at, 'outgoing.',
          'outgoing:' || requisite_id || '/' || id, ''
        from outgoing_transfers where decided_at >= :since
          -- Of two who agreed, one has taken that back: the other one said it before.
          and not exists (select from audit_entries where at >= :since and action = 'outgoing.unbook'
            and subject = 'outgoing:' || requisite_id || '/' || id)
      union all select 'refund ' || status, actor, at, 'refund.', 'refund:' || merchant_id || '/' || refund_id, ''
        from refund_events where at >= :since
          -- Outgoing money that is booked to a refund, or unbooked, changes it, too.
          and not (status in ('sent', 'done', 'approved') and exists (select from audit_entries
            where audit_entries.at = refund_events.at and action like 'outgoing.%'))
      union all select 'destination', coalesce(requested_by, proposed_by), proposed_at,
          case when requested_by is null then 'destination.propose' else 'destination.request' end,
          'destination:' || merchant_id || '/' || id, ''
        from destinations where proposed_at >= :since
      union all select 'destination taken up', proposed_by, null, 'destination.approve',
          'destination:' || merchant_id || '/' || id, ''
        from destinations where proposed_at >= :since and requested_by is not null and proposed_by is not null
      union all select 'adjustment', drafted_by, created_at, 'adjustment.create',
          'adjustment:' || merchant_id || '/' || id, ''
        from ledger_adjustments where created_at >= :since
      union all select 'file', uploaded_by, uploaded_at, 'statement.upload', 'statement:' || id, ''
        from statements where uploaded_at >= :since
      union all select 'file confirmed', confirmed_by, confirmed_at, 'statement.confirm', 'statement:' || id, ''
        from statements where confirmed_at >= :since
      union all select 'opening balance', set_by, set_at, 'opening-balance.set', 'requisite:' || requisite_id, ''
        from opening_balances where set_at >= :since
      union all select 'override', set_by, set_at, 'rate.override', 'currency:' || currency, ''
        from rate_overrides where set_at >= :since
    -- The function keeps PostgreSQL from starting parallel workers, which take a hundred times as long as the query.
    ) as facts where starts_with(actor, 'operator:') and pg_current_xact_id() is not null
    -- A rate has no column for its author: some operator has set this price, unless it is the one before an override.
    union all select 'rate ' || trim_scale(price / 1e8), '', null, 'rate.', 'currency:' || currency,
        '"price":' || trim_scale(price / 1e8)
      from rates where created_at >= :since and source in ('manual', 'override') and not exists (
        select from (select price from rates as base where base.currency = rates.currency
          and base.created_at < rates.created_at and base.source <> 'override' order by created_at desc limit 1) as base
        where base.price = rates.price and rates.source = 'manual' and 'override' = (
          select source from rates as last where last.currency = rates.currency
            and last.created_at < rates.created_at order by created_at desc limit 1))`,
})

const listEntries = query('test_list_audit_entries', {
  parameters: { after: bigint },
  row: { actor: text, at: instant, action: text, subject: text, details: text },
  text: `select actor, at, action, subject, details from audit_entries where sequence > :after order by sequence`,
})

type Entry = { readonly [Name in 'actor' | 'action' | 'subject' | 'details']: string } & { readonly at: number }
type Fact = Omit<Entry, 'at' | 'details'> & {
  readonly fact: string
  readonly at: number | null
  readonly mention: string
}

const isEntryOf = (entry: Entry, { actor, at, action, subject, mention }: Fact): boolean =>
  // What two agree on names both; the second one does it.
  (actor === '' ? entry.actor.startsWith('operator:') : actor.split(', ').includes(entry.actor)) &&
  (at === null || entry.at === at) &&
  entry.action.startsWith(action) &&
  (subject === '' || entry.subject === subject) &&
  `${entry.subject} ${entry.details}`.includes(mention)

const findLast = query('test_find_last_audit_entry', {
  row: { sequence: bigint },
  text: 'select sequence from audit_head',
})

/**
 * Begins to follow the audit. The returned function compares it with what an operator has done since: the same acts, in
 * the same order, no more and no fewer. Also each settlement, transfer, rate and decision since then must have the entry
 * of whoever it names.
 */
export const followAudit = async ({ context, clock }: Pick<TestService, 'context' | 'clock'>) => {
  const since = clock.now
  const [{ sequence: after } = { sequence: 0n }] = await context.query(findLast, {})
  return async (name: string, acts: readonly Act[], tale: string): Promise<void> => {
    const feeds = acts.flatMap(({ call }) => /^POST \/feeds\/(.+)$/.exec(call)?.[1] ?? [])
    const actors = new Set([`operator:${name}`, ...feeds.map((id) => `source:${id}`)])
    const written = await context.query(listEntries, { after })
    assert.deepEqual(
      written.filter(({ actor }) => actors.has(actor)).map(({ action, subject }) => `${action} ${subject}`),
      acts.flatMap(entriesOf),
      `the audit does not have what was done; ${tale}`,
    )
    const facts = await context.query(listFacts, { since })
    const unnamed = facts.filter((fact) => !written.some((entry) => isEntryOf(entry, fact)))
    assert.deepEqual(unnamed, [], `the audit does not name who did it; ${tale}`)
  }
}
