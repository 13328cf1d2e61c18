import {
  array,
  bigint,
  boolean,
  type Codec,
  fewRows,
  inSpan,
  instant,
  integer,
  jsonb,
  nullable,
  query,
  table,
  text,
  typedId,
  typedName,
  uuid,
  word,
} from 'payin-database'
import type { MerchantMode } from '../../rules/merchants/merchant.ts'
import type { Checkpoint, PayerKind, RiskFinding, VelocityKind } from '../../rules/merchants/risk.ts'

const blockRow = {
  id: uuid,
  kind: word<PayerKind>(),
  merchantId: nullable(uuid),
  payerIndex: text,
  valueMasked: text,
  reason: text,
  createdBy: text,
  createdAt: instant,
  endsAt: nullable(instant),
  endedAt: nullable(instant),
}

export const listLiveBlocks = query('list_live_risk_blocks', {
  row: blockRow,
  text: `select :row from risk_blocks where ended_at is null`,
})

export const listBlocksOf = query('list_risk_blocks_of_payers', {
  parameters: { payerIndexes: array(text) },
  row: blockRow,
  text: `select :row from risk_blocks where payer_index = any(:payerIndexes) and ended_at is null
    order by id`,
})

const riskBlocks = table('risk_blocks', { id: uuid })

export const selectBlocks = riskBlocks.page('list_risk_blocks', blockRow, {
  filter: { payerIndexes: nullable(array(text)) },
  where: ':payerIndexes is null or payer_index = any(:payerIndexes)',
})

export const insertBlock = riskBlocks.insert('insert_risk_block', { ...blockRow, valueSealed: text })

export const markBlockEnded = query('end_risk_block', {
  parameters: { id: uuid, now: instant },
  row: blockRow,
  text: `update risk_blocks set ended_at = :now where id = :id and ended_at is null returning :row`,
})

/** Users who have shown a number that is still blocked, with the first payment where they showed it. */
export const listShownNumbers = query('list_shown_risk_numbers', {
  row: { blockId: uuid, merchantId: uuid, userId: text, paymentId: uuid },
  text: `select distinct on (decisions.rule_id, payments.merchant_id, payments.user_id)
      decisions.rule_id as block_id, payments.merchant_id, payments.user_id, payments.id as payment_id
    from risk_blocks as blocks
      join risk_decisions as decisions on decisions.rule_id = blocks.id and decisions.rule = 'block'
        and decisions.kind <> 'user' and decisions.checkpoint <> 'create'
      join payments on payments.merchant_id = decisions.merchant_id and payments.id = decisions.payment_id
        and payments.user_id_given
    where blocks.ended_at is null
    order by decisions.rule_id, payments.merchant_id, payments.user_id, decisions.id`,
})

const ruleRow = {
  id: uuid,
  kind: word<VelocityKind>(),
  merchantId: nullable(uuid),
  windowMs: { ...bigint, encode: String, decode: Number } as Codec<number>,
  maxCount: nullable(integer),
  currency: nullable(text),
  maxAmount: nullable(bigint),
  reason: text,
  createdBy: text,
  createdAt: instant,
  endedAt: nullable(instant),
}

export const listRules = query('list_risk_rules', {
  row: ruleRow,
  text: `select :row from risk_rules order by id`,
})

export const insertRule = table('risk_rules', { id: uuid }).insert('insert_risk_rule', ruleRow)

export const endRule = query('end_risk_rule', {
  parameters: { id: uuid, now: instant },
  row: ruleRow,
  text: `update risk_rules set ended_at = :now where id = :id and ended_at is null returning :row`,
})

export const lockPayerRows = query('lock_risk_payers', {
  parameters: { now: instant },
  rows: { payerIndex: text },
  // Excludes others that count these payers' payments, on any node, until ours have been added.
  text: `insert into risk_payers (payer_index, seen_at) select :columns, :now from :rows
    on conflict (payer_index) do update set seen_at = greatest(risk_payers.seen_at, excluded.seen_at)`,
})

const useRow = {
  payerIndex: text,
  kind: word<VelocityKind>(),
  merchantId: uuid,
  paymentId: uuid,
  mode: word<MerchantMode>(),
  currency: text,
  amount: bigint,
  at: instant,
}

export const listUses = query('list_risk_uses', {
  parameters: { payerIndexes: array(text), after: instant },
  row: useRow,
  text: `select :row from risk_uses
    where payer_index = any(:payerIndexes) and at > :after`,
})

export const insertUses = table('risk_uses', {}).insertAll('insert_risk_uses', useRow, { isOnce: true })

/** Counted payments after one, along the primary key, with the merchant's id of the payer if they are counted by it. */
export const listUsesAfter = query('list_risk_uses_after', {
  parameters: { payerIndex: text, kind: text, merchantId: uuid, paymentId: uuid, limit: integer },
  row: { payerIndex: text, kind: word<VelocityKind>(), merchantId: uuid, paymentId: uuid, userId: nullable(text) },
  text: `select uses.payer_index, uses.kind, uses.merchant_id, uses.payment_id, payments.user_id
    from (select payer_index, kind, merchant_id, payment_id from risk_uses
        where (payer_index, kind, merchant_id, payment_id) > (:payerIndex, :kind, :merchantId, :paymentId)
        order by payer_index, kind, merchant_id, payment_id limit :limit) as uses
      left join payments on uses.kind = 'user' and payments.merchant_id = uses.merchant_id and payments.id = uses.payment_id
    order by uses.payer_index, uses.kind, uses.merchant_id, uses.payment_id`,
})

export const copyUses = query('copy_risk_uses', {
  rows: { before: text, after: text },
  text: `insert into risk_uses (payer_index, kind, merchant_id, payment_id, mode, currency, amount, at)
    select input.after, uses.kind, uses.merchant_id, uses.payment_id, uses.mode, uses.currency, uses.amount, uses.at
      from :rows join risk_uses as uses on uses.payer_index = input.before
    on conflict (payer_index, kind, merchant_id, payment_id) do nothing`,
})

export const deleteUsesOf = query('delete_risk_uses_of', {
  parameters: { payerIndexes: array(text) },
  text: `delete from risk_uses where payer_index = any(:payerIndexes)`,
})

export const deleteUses = query('delete_risk_uses', {
  parameters: { before: instant, limit: integer },
  row: { paymentId: uuid },
  text: `delete from risk_uses where (payer_index, kind, merchant_id, payment_id) in (
      select payer_index, kind, merchant_id, payment_id from risk_uses where at <= :before limit :limit)
    returning payment_id`,
})

/** Deletes payers that have not been counted for long; skips those that are being counted. */
export const deletePayers = query('delete_risk_payers', {
  parameters: { before: instant, limit: integer },
  row: { payerIndex: text },
  text: `delete from risk_payers where payer_index in (
      select payer_index from risk_payers where seen_at <= :before limit :limit for update skip locked)
    returning payer_index`,
})

export const listMerchantModes = query('list_risk_merchant_modes', {
  parameters: { merchantIds: array(uuid) },
  row: { id: uuid, mode: word<MerchantMode>() },
  text: `select id, mode from merchants where id = any(:merchantIds)`,
})

const decisionRow = {
  merchantId: uuid,
  id: uuid,
  paymentId: uuid,
  checkpoint: word<Checkpoint>(),
  outcome: word<'refused' | 'flagged'>(),
  rule: word<RiskFinding['rule']>(),
  ruleId: uuid,
  kind: word<PayerKind>(),
  explanation: jsonb<RiskFinding['explanation']>(),
  decidedAt: instant,
}

const riskDecisions = table('risk_decisions', { id: uuid })

export const insertDecisions = riskDecisions.insertAll('insert_risk_decisions', decisionRow)

export const selectDecisions = riskDecisions.page('list_risk_decisions', decisionRow, {
  filter: { merchantId: nullable(uuid), paymentId: nullable(uuid) },
  where: `(:merchantId is null or merchant_id = :merchantId) and (:paymentId is null or payment_id = :paymentId)`,
})

/** Blocks by payer, last digits or shortened id; those in effect come first. */
export const findBlocks = query('find_risk_blocks', {
  parameters: {
    merchantIds: array(uuid),
    payerIndexes: array(text),
    payerKind: nullable(word<PayerKind>()),
    digits: text,
    ...typedId,
  },
  row: { id: uuid, kind: word<PayerKind>(), merchantId: nullable(uuid), valueMasked: text, isOver: boolean },
  text: `select id, kind, merchant_id, value_masked, ended_at is not null as is_over from risk_blocks
    where (merchant_id is null or merchant_id = any(:merchantIds)) and (${inSpan('risk_blocks')} or payer_index = any(:payerIndexes)
      or :digits <> '' and right(value_masked, 4) = :digits and kind = coalesce(:payerKind, kind))
    order by is_over, id desc ${fewRows}`,
})

/** Velocity rules by kind, reason or shortened id; those in effect come first. */
export const findRules = query('find_risk_rules', {
  parameters: { merchantIds: array(uuid), ...typedName },
  row: { id: uuid, kind: word<VelocityKind>(), merchantId: nullable(uuid), reason: text, isOver: boolean },
  text: `select id, kind, merchant_id, reason, ended_at is not null as is_over from risk_rules
    where (merchant_id is null or merchant_id = any(:merchantIds))
      and (kind = lower(:typed) or lower(reason) = lower(:typed) or (${inSpan('risk_rules')}))
    order by is_over, id desc ${fewRows}`,
})
