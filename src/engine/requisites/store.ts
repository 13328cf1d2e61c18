import {
  array,
  bigint,
  boolean,
  type Codec,
  columnsOf,
  instant,
  integer,
  jsonb,
  jsonbWithAmounts,
  nullable,
  query,
  sooner,
  table,
  text,
  uuid,
  word,
} from 'payin-database'
import { keepFormer, slotFree, slotHeld, takeOver, writeShared } from '../held-slots.ts'
import type { BankGuide } from '../../rules/payments/bank-guide.ts'
import type { MerchantMode } from '../../rules/merchants/merchant.ts'
import type { PaymentMethod, TransferScope } from '../../rules/values/payment-method.ts'
import {
  type CreditingHeld,
  limitAmounts,
  noRequisiteLimits,
  type ProposedZone,
  type Requisite,
  type RequisiteLimits,
} from '../../rules/requisites/requisite.ts'
import { holderRow } from './holders/store.ts'

const storedLimits = jsonbWithAmounts<Partial<RequisiteLimits>>(limitAmounts)

/** Limits that the row lacks have their default values. */
const limits: Codec<RequisiteLimits> = {
  ...storedLimits,
  decode: (value) => ({ ...noRequisiteLimits, ...storedLimits.decode(value) }),
}

const requisiteRow = {
  id: uuid,
  merchantId: nullable(uuid),
  mode: word<MerchantMode>(),
  method: word<PaymentMethod>(),
  currency: text,
  transferScope: nullable(word<TransferScope>()),
  bankIssuer: text,
  label: nullable(text),
  holder: text,
  numberSealed: text,
  numberMasked: text,
  recipientSealed: nullable(text),
  limits,
  status: word<Requisite['status']>(),
}

const storedRequisite = {
  ...requisiteRow,
  creditingHeld: nullable(jsonb<CreditingHeld>()),
  proposedZone: nullable(jsonb<ProposedZone>()),
}

export const listRequisites = query('list_requisites', {
  row: storedRequisite,
  text: `select :row from requisites order by id`,
})

const lastTaken = `(select max(taken_at) from slots where slots.requisite_id = requisites.id)`
const lastHeld = `(select taken_at from past_slots where past_slots.requisite_id = requisites.id
      order by held_until desc limit 1)`

export const listLastUses = query('list_last_uses_of_requisites', {
  row: { id: uuid, usedAt: instant },
  text: `select id, greatest(${lastTaken}, ${lastHeld}) as used_at from requisites
    where greatest(${lastTaken}, ${lastHeld}) is not null`,
})

/** All requisites with the creation of their newest open payment; null if none is open. */
export const listOpenUses = query('list_open_uses_of_requisites', {
  row: { id: uuid, usedAt: nullable(instant) },
  text: `select id, (select created_at from payments
      where payments.requisite_id = requisites.id and payments.status in ('new', 'processing')
      order by created_at desc limit 1) as used_at
    from requisites`,
})

export const listCrediting = query('list_crediting_of_requisites', {
  parameters: { ids: array(uuid) },
  row: { id: uuid, currency: text, mode: word<MerchantMode>(), held: nullable(text), utcOffsetMinutes: integer },
  text: `select id, currency, mode, crediting_held ->> 'reason' as held,
      (limits ->> 'utcOffsetMinutes')::integer as utc_offset_minutes from requisites where id = any(:ids)`,
})

export const findRequisiteOfMode = query('find_requisite_of_mode', {
  parameters: { id: uuid, merchantId: uuid },
  row: { id: uuid },
  text: `select requisites.id from requisites join merchants on merchants.mode = requisites.mode
    where requisites.id = :id and merchants.id = :merchantId`,
})

export const listAccountNumbers = query('list_account_numbers_of_requisites', {
  parameters: { ids: array(uuid) },
  row: { id: uuid, currency: text, bankIssuer: text, numbersMasked: jsonb<readonly string[]>() },
  // The number of a phone is no account's.
  text: `select id, currency, bank_issuer, (
      select coalesce(jsonb_agg(number), '[]') from (
        select number_masked as number where method in ('card-to-card', 'account-to-account')
        union select statement_accounts.number_masked from statement_accounts
          where requisite_id = requisites.id and ended_at is null
      ) as numbers) as numbers_masked
    from requisites where id = any(:ids)`,
})

export const listRequisitesByNumber = query('list_requisites_by_number', {
  parameters: { numberIndexes: array(text) },
  row: { id: uuid, method: word<PaymentMethod>(), currency: text, numberIndex: text },
  text: `select :row from requisites where number_index = any(:numberIndexes) order by id`,
})

/** Which of the fingerprints requisites or bound accounts have, each with the mode of their money. */
export const listModesOfNumbers = query('list_modes_of_numbers', {
  parameters: { numberIndexes: array(text) },
  row: { numberIndex: text, mode: word<MerchantMode>() },
  text: `select number_index, mode from requisites where number_index = any(:numberIndexes)
    union
    select accounts.number_index, requisites.mode from statement_accounts as accounts
    join requisites on requisites.id = accounts.requisite_id
    where accounts.number_index = any(:numberIndexes) and accounts.ended_at is null`,
})

export const insertRequisites = query('insert_requisites', {
  parameters: { at: instant, by: nullable(text) },
  rows: { ...requisiteRow, numberIndex: text },
  row: { id: uuid },
  text: `insert into requisites (:columns, created_at, added_by) select :columns, :at, :by from :rows
    on conflict (method, currency, number_index) do nothing returning id`,
})

const requisites = table('requisites', { id: uuid })

export const updateRequisiteRow = requisites.update('update_requisite', {
  status: word<Requisite['status']>(),
  label: nullable(text),
  limits,
  creditingHeld: nullable(jsonb<CreditingHeld>()),
  proposedZone: nullable(jsonb<ProposedZone>()),
})

export const updateRecipientRow = requisites.update('update_recipient', {
  holder: text,
  recipientSealed: nullable(text),
})

export const lockRequisites = query('lock_requisites', {
  parameters: { ids: array(uuid) },
  row: { id: uuid },
  // Excludes other allocations on requisites with limits until ours is counted.
  text: `select id from requisites where id = any(:ids) order by id for update`,
})

/** Slots that are held now: by how many payments, until when the first and the last of them, and whether others may share. */
export const listTakenSlots = query('list_taken_slots', {
  parameters: { requisiteIds: array(uuid), amounts: array(bigint), now: instant },
  row: {
    ...{ requisiteId: uuid, amount: bigint, holders: integer, merchantIds: jsonb<readonly string[]>() },
    ...{ firstFreeAt: instant, heldUntil: instant, shares: boolean },
  },
  // `offset 0` keeps the amounts from choosing the index: a fixed price has years of former holders.
  text: `select requisite_id, amount, count(*)::integer as holders,
      to_jsonb(array_agg(merchant_id)) as merchant_ids, min(held_until) as first_free_at,
      max(held_until) as held_until, bool_and(shares) as shares
    from (
      select requisite_id, amount, merchant_id, held_until, shares from slots
      where requisite_id = any(:requisiteIds) and amount = any(:amounts) and held_until > :now
      union all
      select * from (
        select requisite_id, amount, merchant_id, held_until, shares from past_slots
        where requisite_id = any(:requisiteIds) and held_until > :now offset 0
      ) as sharers where amount = any(:amounts)
    ) as held group by requisite_id, amount`,
})

const unpaidSince = (period: 'day' | 'month'): string => {
  const isUnpaid = `held.taken_at >= input.${period}_start and payments.received = 0
        and payments.status not in ('paid', 'disput-paid')`
  return `count(*) filter (where ${isUnpaid})::integer as ${period}_unpaid,
      coalesce(sum(payments.amount) filter (where ${isUnpaid}), 0)::bigint as ${period}_unpaid_amount`
}

/** Usage of requisites today, this month and right now; `since` is the earliest of their months' starts. */
export const listUsage = query('list_requisite_usage', {
  parameters: { ids: array(uuid), since: instant },
  rows: { id: uuid, dayStart: instant, monthStart: instant },
  row: {
    ...{ requisiteId: uuid, open: integer },
    ...{ dayCount: integer, dayAmount: bigint, monthCount: integer, monthAmount: bigint },
    ...{ dayUnpaid: integer, dayUnpaidAmount: bigint, monthUnpaid: integer, monthUnpaidAmount: bigint },
    openOf: jsonb<readonly string[]>(),
  },
  text: `select input.id as requisite_id,
      count(*) filter (where payments.status in ('new', 'processing'))::integer as open,
      count(*) filter (where held.taken_at >= input.day_start)::integer as day_count,
      coalesce(sum(payments.amount) filter (where held.taken_at >= input.day_start), 0)::bigint as day_amount,
      count(*) filter (where held.taken_at >= input.month_start)::integer as month_count,
      coalesce(sum(payments.amount) filter (where held.taken_at >= input.month_start), 0)::bigint as month_amount,
      ${unpaidSince('day')}, ${unpaidSince('month')},
      coalesce(jsonb_agg(payments.merchant_id) filter (where payments.status in ('new', 'processing')), '[]') as open_of
    from :rows join (
      select requisite_id, merchant_id, payment_id, taken_at from slots where requisite_id = any(:ids)
      union all
      select requisite_id, merchant_id, payment_id, taken_at from past_slots
        where requisite_id = any(:ids) and held_until >= :since
    ) as held on held.requisite_id = input.id
    join payments on payments.merchant_id = held.merchant_id and payments.id = held.payment_id
      and input.id in (payments.requisite_id, payments.switched_from)
    where payments.status not in ('expired', 'canceled', 'failed')
      and (held.taken_at >= input.month_start or payments.status in ('new', 'processing'))
    group by input.id`,
})

export const markReleased = table('slots', { requisiteId: uuid, amount: bigint, paymentId: uuid }).updateAll(
  'release_slots',
  { heldUntil: instant },
)

/** The same for those that share their slot with its holder, unless a payment that does not share it has it by now. */
export const markSharersReleased = query('release_shared_slots', {
  parameters: { now: instant },
  rows: { requisiteId: uuid, amount: bigint, paymentId: uuid, heldUntil: instant },
  text: `with input as (select :columns from :rows), shared as (
      ${writeShared('select requisite_id, amount from input')}
    )
    update past_slots set held_until = input.held_until from input
    where past_slots.requisite_id = input.requisite_id and past_slots.amount = input.amount
      and past_slots.payment_id = input.payment_id and past_slots.held_until > :now
      and (input.requisite_id, input.amount) in (select requisite_id, amount from shared)`,
})

const storedHolder = { ...holderRow, shares: boolean }
const storedColumns = columnsOf(storedHolder)
const turnSlotsIn = (slots: string): string => `update ${slots} set held_until = greatest(:now, ${sooner('held_until')})
    from requisites where requisites.id = ${slots}.requisite_id and requisites.mode = 'sandbox'
      and ${slots}.merchant_id = :merchantId and ${slots}.payment_id = any(:paymentIds) and ${slots}.held_until > :now`

export const markTurned = query('turn_slots', {
  parameters: { merchantId: uuid, paymentIds: array(uuid), now: instant, byMs: bigint },
  text: `with sharers as (${turnSlotsIn('past_slots')}) ${turnSlotsIn('slots')}`,
})

/** Moves ended slots out of the way of held ones; returns the slots that it moved. */
export const archiveSlotRows = query('archive_slots', {
  parameters: { requisiteIds: array(uuid), endedBefore: instant, limit: integer },
  row: { paymentId: uuid },
  text: `with ended as (
      delete from slots where (requisite_id, amount) in (
        select requisite_id, amount from slots
        where requisite_id = any(:requisiteIds) and taken_at <= :endedBefore and held_until <= :endedBefore
          and ${slotFree(':endedBefore')}
        limit :limit for update skip locked)
      returning ${storedColumns}
    )
    insert into past_slots (${storedColumns})
    select ${storedColumns} from ended ${keepFormer} returning payment_id`,
})

export const insertSlot = query('take_slot', {
  parameters: storedHolder,
  row: { paymentId: uuid },
  // Returns no row if another payment holds the slot; waits for a payment that is taking it at the moment.
  text: `with archived as (
      insert into past_slots (${storedColumns})
      select ${storedColumns} from slots
      where requisite_id = :requisiteId and amount = :amount and ${slotFree(':takenAt')} ${keepFormer}
    )
    insert into slots (:fields) values (:values) ${takeOver}`,
})

export const insertSharer = query('share_slot', {
  parameters: storedHolder,
  row: { paymentId: uuid },
  text: `with shareable as (${writeShared('select :requisiteId, :amount', slotHeld(':takenAt'))})
    insert into past_slots (:fields) select :values where exists (select from shareable)
    on conflict (requisite_id, amount, taken_at, payment_id) do update set held_until = excluded.held_until
    returning payment_id`,
})

const bankRow = {
  code: text,
  name: text,
  country: text,
  sbpMemberId: nullable(text),
  /** Nine digits; a payment QR code needs it together with the correspondent account. */
  bic: nullable(text),
  correspondentAccount: nullable(text),
  /** Other names by which payers find it. */
  aliases: jsonb<readonly string[]>(),
  /** 1 for the bank that most payers have; `null` if unknown. */
  rank: nullable(integer),
}

export const listBanks = query('list_bank_issuers', {
  row: { ...bankRow, guide: jsonb<BankGuide>() },
  text: `select :row from bank_issuers order by code`,
})

/** Adds or changes bank issuers; their guides stay. */
export const upsertBanks = query('upsert_bank_issuers', {
  rows: bankRow,
  text: `insert into bank_issuers (:columns) select :columns from :rows
    on conflict (code) do update set (${columnsOf(bankRow)}) = (${columnsOf(bankRow, 'excluded')})`,
})

export const updateGuide = query('update_bank_guide', {
  parameters: { code: text, guide: jsonb<BankGuide>() },
  row: { code: text },
  text: `update bank_issuers set guide = :guide where code = :code returning code`,
})

/** Excludes every change of bindings and other callers of this; readers continue. */
export const lockBindings = query('lock_statement_accounts', {
  text: `lock table statement_accounts in share row exclusive mode`,
})

/** Also excludes whoever records money by the bindings (see `lockSharing`); plain readers continue. */
export const lockBindingsToChange = query('lock_statement_accounts_to_change', {
  text: `lock table statement_accounts in exclusive mode`,
})

export const selectBoundRequisites = query('list_bound_requisites', {
  parameters: { numberIndexes: array(text) },
  row: { requisiteId: uuid, boundAt: instant },
  text: `select requisite_id, bound_at from statement_accounts
    where number_index = any(:numberIndexes) and ended_at is null order by ordinal, requisite_id`,
})

const sharing = `select own.requisite_id, jsonb_agg(others.requisite_id order by others.ordinal) as others
    from statement_accounts as own
    join statement_accounts as others on others.number_index = own.number_index and others.ended_at is null
    where own.requisite_id = any(:requisiteIds) and own.ended_at is null`
const sharingOfEach = 'group by own.requisite_id, own.number_index having count(*) > 1'

/** The requisites that share an account with others, each with all of them in the account's order. */
export const selectSharing = query('list_sharing_requisites', {
  parameters: { requisiteIds: array(uuid) },
  row: { requisiteId: uuid, others: jsonb<readonly string[]>() },
  text: `${sharing} ${sharingOfEach}`,
})

/** As `selectSharing`; excludes every change of bindings until the transaction ends. */
export const lockSharing = query('hold_sharing_requisites', {
  parameters: { requisiteIds: array(uuid) },
  row: { requisiteId: uuid, others: jsonb<readonly string[]>() },
  // Without a row it locks only the table, in a mode that excludes only those who change bindings. The table is locked
  // before it is read, so that a change that the lock waited for is visible.
  text: `with held as materialized (select 1 from statement_accounts limit 0 for share)
    ${sharing} and not exists (select from held) ${sharingOfEach}`,
})
