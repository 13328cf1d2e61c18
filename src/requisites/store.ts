import {
  array,
  bigint,
  type Codec,
  instant,
  integer,
  jsonb,
  nullable,
  query,
  text,
  uuid,
  word,
} from '../database/query.ts'
import type { BankGuide } from '../domain/bank-guide.ts'
import type { MerchantMode } from '../domain/merchant.ts'
import type { PaymentMethod } from '../domain/payment.ts'
import { noRequisiteLimits, type Requisite, type RequisiteLimits } from '../domain/requisite.ts'

const storedLimits = jsonb<RequisiteLimits>()

/** Limits that are younger than the row have their default values. */
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
  transferScope: nullable(word<'international'>()),
  bankIssuer: text,
  holder: text,
  numberSealed: text,
  numberMasked: text,
  limits,
  status: word<Requisite['status']>(),
}

const columns = `id, merchant_id, mode, method, currency, transfer_scope, bank_issuer, holder, number_sealed, number_masked,
  limits, status`

/** All requisites. */
export const listRequisites = query({
  name: 'list_requisites',
  parameters: {},
  row: requisiteRow,
  text: `select ${columns} from requisites order by id`,
})

/** Currencies of requisites. */
export const listRequisiteCurrencies = query({
  name: 'list_requisite_currencies',
  parameters: { ids: array(uuid) },
  row: { id: uuid, currency: text },
  text: `select id, currency from requisites where id = any(:ids)`,
})

/** Requisites with one of the numbers, by the fingerprints of these. */
export const listRequisitesByNumber = query({
  name: 'list_requisites_by_number',
  parameters: { numberIndexes: array(text) },
  row: { id: uuid, currency: text },
  text: `select id, currency from requisites where number_index = any(:numberIndexes) order by id`,
})

/** Adds requisites whose numbers are new. */
export const insertRequisites = query({
  name: 'insert_requisites',
  parameters: {
    ids: array(uuid),
    merchantIds: array(nullable(uuid)),
    modes: array(word<MerchantMode>()),
    methods: array(word<PaymentMethod>()),
    currencies: array(text),
    transferScopes: array(nullable(word<'international'>())),
    bankIssuers: array(text),
    holders: array(text),
    numbersSealed: array(text),
    numberIndexes: array(text),
    numbersMasked: array(text),
    limits: array(limits),
    at: instant,
  },
  row: { id: uuid },
  text: `insert into requisites (${columns}, number_index, created_at)
    select id, merchant_id, mode, method, currency, transfer_scope, bank_issuer, holder, number_sealed, number_masked, limits,
      'active', number_index, :at
    from unnest(:ids, :merchantIds, :modes, :methods, :currencies, :transferScopes, :bankIssuers, :holders, :numbersSealed,
      :numberIndexes, :numbersMasked, :limits) as input (id, merchant_id, mode, method, currency, transfer_scope, bank_issuer,
      holder, number_sealed, number_index, number_masked, limits)
    on conflict (method, currency, number_index) do nothing
    returning id`,
})

/** Changes status and limits of a requisite. */
export const updateRequisite = query({
  name: 'update_requisite',
  parameters: { id: uuid, status: word<Requisite['status']>(), limits },
  row: { id: uuid },
  text: `update requisites set status = :status, limits = :limits where id = :id returning id`,
})

/** Locks requisites in the order of their ids. */
export const lockRequisites = query({
  name: 'lock_requisites',
  parameters: { ids: array(uuid) },
  row: { id: uuid },
  // Excludes other allocations on requisites with limits until ours has been counted.
  text: `select id from requisites where id = any(:ids) order by id for update`,
})

/** Slots that are held now. */
export const listTakenSlots = query({
  name: 'list_taken_slots',
  parameters: { requisiteIds: array(uuid), amounts: array(bigint), now: instant },
  row: { requisiteId: uuid, amount: bigint, heldUntil: instant },
  text: `select requisite_id, amount, held_until from slots
    where requisite_id = any(:requisiteIds) and amount = any(:amounts) and held_until > :now`,
})

/** What requisites carry today, this month and right now. */
export const listUsage = query({
  name: 'list_requisite_usage',
  parameters: { ids: array(uuid), dayStarts: array(instant), monthStarts: array(instant) },
  row: {
    requisiteId: uuid,
    open: integer,
    dayCount: integer,
    dayAmount: bigint,
    monthCount: integer,
    monthAmount: bigint,
  },
  text: `select input.id as requisite_id,
      count(*) filter (where payments.status in ('new', 'processing'))::integer as open,
      count(*) filter (where held.taken_at >= input.day_start)::integer as day_count,
      coalesce(sum(payments.amount) filter (where held.taken_at >= input.day_start), 0)::bigint as day_amount,
      count(*) filter (where held.taken_at >= input.month_start)::integer as month_count,
      coalesce(sum(payments.amount) filter (where held.taken_at >= input.month_start), 0)::bigint as month_amount
    from unnest(:ids, :dayStarts, :monthStarts) as input (id, day_start, month_start)
    join (
      select requisite_id, merchant_id, payment_id, taken_at from slots where requisite_id = any(:ids)
      union all
      select requisite_id, merchant_id, payment_id, taken_at from past_slots
        where requisite_id = any(:ids) and held_until >= (select min(start) from unnest(:monthStarts) as month (start))
    ) as held on held.requisite_id = input.id
    join payments on payments.merchant_id = held.merchant_id and payments.id = held.payment_id
      and input.id in (payments.requisite_id, payments.switched_from)
    where payments.status not in ('expired', 'canceled', 'failed')
      and (held.taken_at >= input.month_start or payments.status in ('new', 'processing'))
    group by input.id`,
})

/** Sets until when payments hold their slots. */
export const releaseSlots = query({
  name: 'release_slots',
  parameters: {
    requisiteIds: array(uuid),
    amounts: array(bigint),
    paymentIds: array(uuid),
    heldUntils: array(instant),
  },
  row: {},
  text: `update slots set held_until = input.held_until
    from unnest(:requisiteIds, :amounts, :paymentIds, :heldUntils)
      as input (requisite_id, amount, payment_id, held_until)
    where slots.requisite_id = input.requisite_id and slots.amount = input.amount
      and slots.payment_id = input.payment_id`,
})

const holderRow = {
  requisiteId: uuid,
  amount: bigint,
  merchantId: uuid,
  paymentId: uuid,
  takenAt: instant,
  heldUntil: instant,
}

const holderColumns = `requisite_id, amount, merchant_id, payment_id, taken_at, held_until`
const heldColumns = `held.requisite_id, held.amount, held.merchant_id, held.payment_id, held.taken_at, held.held_until`
const holders = `(select ${holderColumns} from slots union all select ${holderColumns} from past_slots) as held`

const spans = { requisiteIds: array(uuid), froms: array(instant), tos: array(instant) }

/** Who held slots of requisites in spans of time. */
export const listHolders = query({
  name: 'list_slot_holders',
  parameters: spans,
  row: holderRow,
  text: `select ${heldColumns}
    from unnest(:requisiteIds, :froms, :tos) as input (requisite_id, since, until)
    join ${holders} on held.requisite_id = input.requisite_id
      and held.taken_at <= input.until and held.held_until > input.since`,
})

/** Who held slots of given amounts in spans of time. */
export const listEqualHolders = query({
  name: 'list_equal_slot_holders',
  parameters: { ...spans, amounts: array(bigint) },
  row: holderRow,
  text: `select ${heldColumns}
    from unnest(:requisiteIds, :amounts, :froms, :tos) as input (requisite_id, amount, since, until)
    join ${holders} on held.requisite_id = input.requisite_id and held.amount = input.amount
      and held.taken_at <= input.until and held.held_until > input.since`,
})

/** Who holds slots of requisites and has received a part of the money. */
export const listPartlyPaidHolders = query({
  name: 'list_partly_paid_slot_holders',
  parameters: { requisiteIds: array(uuid) },
  row: holderRow,
  text: `with partly as (
      select merchant_id, id, amount, requisite_id, switched_from from payments
        where requisite_id = any(:requisiteIds) and status = 'processing' and received > 0
      union
      select merchant_id, id, amount, requisite_id, switched_from from payments
        where switched_from = any(:requisiteIds) and status = 'processing' and received > 0
    )
    select ${heldColumns} from partly
    cross join lateral (values (partly.requisite_id), (partly.switched_from)) as place (requisite_id)
    join ${holders} on held.requisite_id = place.requisite_id and held.amount = partly.amount
      and held.payment_id = partly.id
    where place.requisite_id = any(:requisiteIds)`,
})

/** Moves slots whose time has ended out of the way of those that are held; returns those that it moved. */
export const archiveSlots = query({
  name: 'archive_slots',
  parameters: { requisiteIds: array(uuid), endedBefore: instant, limit: integer },
  row: { paymentId: uuid },
  text: `with ended as (
      delete from slots where (requisite_id, amount) in (
        select requisite_id, amount from slots
        where requisite_id = any(:requisiteIds) and held_until <= :endedBefore
        limit :limit for update skip locked)
      returning requisite_id, amount, merchant_id, payment_id, taken_at, held_until
    )
    insert into past_slots (requisite_id, amount, merchant_id, payment_id, taken_at, held_until)
    select requisite_id, amount, merchant_id, payment_id, taken_at, held_until from ended
    on conflict (requisite_id, amount, taken_at, payment_id) do update
      set held_until = greatest(past_slots.held_until, excluded.held_until)
    returning payment_id`,
})

/** Takes one slot if it is free. */
export const takeSlot = query({
  name: 'take_slot',
  parameters: {
    requisiteId: uuid,
    amount: bigint,
    merchantId: uuid,
    paymentId: uuid,
    takenAt: instant,
    heldUntil: instant,
  },
  row: { paymentId: uuid },
  // No row when another payment holds the slot; waits for one that is just taking it.
  text: `with archived as (
      insert into past_slots (requisite_id, amount, merchant_id, payment_id, taken_at, held_until)
      select requisite_id, amount, merchant_id, payment_id, taken_at, held_until from slots
      where requisite_id = :requisiteId and amount = :amount and held_until <= :takenAt
      on conflict (requisite_id, amount, taken_at, payment_id) do update
        set held_until = greatest(past_slots.held_until, excluded.held_until)
    )
    insert into slots (requisite_id, amount, merchant_id, payment_id, taken_at, held_until)
    values (:requisiteId, :amount, :merchantId, :paymentId, :takenAt, :heldUntil)
    on conflict (requisite_id, amount) do update set merchant_id = excluded.merchant_id,
      payment_id = excluded.payment_id, taken_at = excluded.taken_at, held_until = excluded.held_until
      where slots.held_until <= excluded.taken_at
    returning payment_id`,
})

const bankRow = {
  code: text,
  name: text,
  country: text,
  sbpMemberId: nullable(text),
  bic: nullable(text),
  correspondentAccount: nullable(text),
  guide: jsonb<BankGuide>(),
}

/** All bank issuers. */
export const listBanks = query({
  name: 'list_bank_issuers',
  parameters: {},
  row: bankRow,
  text: `select code, name, country, sbp_member_id, bic, correspondent_account, guide from bank_issuers order by code`,
})

/** Adds or changes bank issuers; their guides stay. */
export const upsertBanks = query({
  name: 'upsert_bank_issuers',
  parameters: {
    codes: array(text),
    names: array(text),
    countries: array(text),
    sbpMemberIds: array(nullable(text)),
    bics: array(nullable(text)),
    correspondentAccounts: array(nullable(text)),
  },
  row: {},
  text: `insert into bank_issuers (code, name, country, sbp_member_id, bic, correspondent_account)
    select code, name, country, sbp_member_id, bic, correspondent_account
    from unnest(:codes, :names, :countries, :sbpMemberIds, :bics, :correspondentAccounts)
      as input (code, name, country, sbp_member_id, bic, correspondent_account)
    on conflict (code) do update
      set name = excluded.name, country = excluded.country, sbp_member_id = excluded.sbp_member_id,
        bic = excluded.bic, correspondent_account = excluded.correspondent_account`,
})

/** Writes what customers of a bank are told. */
export const updateGuide = query({
  name: 'update_bank_guide',
  parameters: { code: text, guide: jsonb<BankGuide>() },
  row: { code: text },
  text: `update bank_issuers set guide = :guide where code = :code returning code`,
})

/** Binds an account of statements to requisites in their order, and to no others any more. */
export const bindAccount = query({
  name: 'bind_statement_account',
  parameters: { numberIndex: text, numberMasked: text, requisiteIds: array(uuid), now: instant },
  row: {},
  text: `with input as (select * from unnest(:requisiteIds) with ordinality as input (requisite_id, place)),
    ended as (
      update statement_accounts set ended_at = :now
      where number_index = :numberIndex and ended_at is null and requisite_id not in (select requisite_id from input)
    )
    insert into statement_accounts (number_index, requisite_id, number_masked, place, bound_at)
    select :numberIndex, requisite_id, :numberMasked, place, :now from input
    on conflict (number_index, requisite_id) do update set place = excluded.place, ended_at = null,
      bound_at = case when statement_accounts.ended_at is null then statement_accounts.bound_at else excluded.bound_at end`,
})

/** Excludes every change of bindings, and another one who wants the same; readers go on. */
export const lockBindings = query({
  name: 'lock_statement_accounts',
  parameters: {},
  row: {},
  text: `lock table statement_accounts in share row exclusive mode`,
})

/** Excludes also whoever records money by the bindings, see `holdSharing`; plain readers go on. */
export const lockBindingsToChange = query({
  name: 'lock_statement_accounts_to_change',
  parameters: {},
  row: {},
  text: `lock table statement_accounts in exclusive mode`,
})

/** The requisites that accounts are bound to, in their order, each with the time since when. */
export const listBoundRequisites = query({
  name: 'list_bound_requisites',
  parameters: { numberIndexes: array(text) },
  row: { requisiteId: uuid, boundAt: instant },
  text: `select requisite_id, bound_at from statement_accounts
    where number_index = any(:numberIndexes) and ended_at is null order by place, requisite_id`,
})

const sharing = `select own.requisite_id, jsonb_agg(others.requisite_id order by others.place) as others
    from statement_accounts as own
    join statement_accounts as others on others.number_index = own.number_index and others.ended_at is null
    where own.requisite_id = any(:requisiteIds) and own.ended_at is null`
const sharingOfEach = 'group by own.requisite_id, own.number_index having count(*) > 1'

/** The requisites that share an account with others, each with all of them in the order of the account. */
export const listSharing = query({
  name: 'list_sharing_requisites',
  parameters: { requisiteIds: array(uuid) },
  row: { requisiteId: uuid, others: jsonb<readonly string[]>() },
  text: `${sharing} ${sharingOfEach}`,
})

/** As `listSharing`; excludes every change of bindings until the transaction ends. */
export const holdSharing = query({
  name: 'hold_sharing_requisites',
  parameters: { requisiteIds: array(uuid) },
  row: { requisiteId: uuid, others: jsonb<readonly string[]>() },
  // Without a row it locks nothing but the table, in a mode that excludes only those who change bindings. The table is
  // locked before the statement looks, so that a change that was waited for is seen.
  text: `with held as materialized (select 1 from statement_accounts limit 0 for share)
    ${sharing} and not exists (select from held) ${sharingOfEach}`,
})
