import { type Static, Type } from '../../operations/schema.ts'
import { merchantModes } from '../../rules/merchants/merchant.ts'
import { paymentMethods } from '../../rules/values/payment-method.ts'
import {
  type PaymentCounts,
  type RequisiteHealth,
  type RequisitePause,
  successRate,
} from '../../rules/requisites/requisite-health.ts'
import { forecastLimit } from '../../rules/requisites/requisite-forecast.ts'
import {
  noUsage,
  type Requisite,
  requisiteStatuses,
  type RequisiteUsage,
  roomLeft,
} from '../../rules/requisites/requisite.ts'
import type { Instant } from '../../rules/time.ts'
import type { Context } from '../../engine/context.ts'
import { listPauses, readHealth } from '../../engine/requisites/health/read.ts'
import { readUsage } from '../../engine/requisites/start-allocation.ts'
import type { Vault } from '../../secrets/vault.ts'
import { BankCode, Currency, Id, Time, wire } from '../../operations/fields.ts'
import { cutPage, pageSize, type PageSpan, readPage } from '../lists.ts'
import { pageOf, PageQuery } from '../../operations/lists.ts'
import { routesForOperators } from '../routes.ts'
import { Limits, pickRequisites, requisiteFields, toRequisiteAnswer } from './requisites.ts'
import { ofAnyMerchant, ofRequisite } from '../../operations/operator-fields.ts'

const Counts = Type.Titled('TransferCounts', {
  payments: Type.Whole('Payments that were allocated this requisite.'),
  paid: Type.Integer(),
  expired: Type.Whole('Expired payments whose payers had seen the requisite.'),
  successRate: Type.Optional(
    Type.Number({ description: 'Share of paid payments among paid and expired ones, 0 to 1.', examples: [0.83] }),
  ),
})

const Pause = Type.Titled('RequisitePause', {
  cause: Type.OneOf(['expired', 'unmatched'], 'Consecutive expired payments, or consecutive unmatched transfers.'),
  run: Type.Whole('Length of the run.'),
  limit: Type.Integer(),
  since: Type.Optional(Time, 'When the first payment of the run expired.'),
  pausedAt: Time,
  endedAt: Type.Optional(Time, 'When an operator resumed or retired the requisite.'),
})

const HealthAnswer = Type.Titled('RequisiteHealth', {
  id: Id,
  ...ofAnyMerchant('The merchant that owns it; absent for the pool that all merchants share.'),
  ...requisiteFields,
  number: Type.Text('Masked.'),
  status: Type.OneOf(requisiteStatuses),
  limits: Limits,
  turnover: Type.Object(
    {
      open: Type.Integer(),
      dayCount: Type.Integer(),
      dayAmount: Type.Number(),
      monthCount: Type.Integer(),
      monthAmount: Type.Number(),
    },
    {
      description: 'Open and credited payments of the day and month in its time zone, compared with its limits.',
    },
  ),
  room: Type.Whole('What is left of its tightest limit, in tenths (0–10).'),
  nextLimit: Type.Optional(
    Type.Group(
      'The limit that it will reach first at the pace of its day or month, and when; absent if it reaches none before the day or month ends.',
      {
        limit: Type.OneOf(['dayAmount', 'dayCount', 'monthAmount', 'monthCount']),
        at: Time,
      },
    ),
  ),
  lastDay: Counts,
  lastWeek: Counts,
  lastPaidAt: Type.Optional(Time, 'When a payment was last credited, within a week.'),
  lastMoneyAt: Type.Optional(Time, 'When the bank booked the last money that was reported.'),
  expiredRun: Type.Whole('Payments that expired since the last credit or resumption, within a week.'),
  unmatchedRun: Type.Whole('Consecutive unmatched transfers up to now.'),
  pause: Type.Optional(Pause),
})

export type HealthAnswer = Static<typeof HealthAnswer>

const PauseAnswer = Type.Object({ id: Id, ...ofRequisite, ...Pause.properties })

/** An automatic pause of a requisite. */
export type PauseAnswer = Static<typeof PauseAnswer>

const toCounts = (counts: PaymentCounts): Static<typeof Counts> => {
  const rate = successRate(counts)
  return wire.fields({ ...counts, successRate: rate === null ? null : Math.round(rate * 10_000) / 10_000 })
}

const toPause = ({ cause, explanation, pausedAt, endedAt }: RequisitePause): Static<typeof Pause> => {
  const { since, ...run } = explanation
  return wire.fields({ cause, ...run, since, pausedAt, endedAt })
}

const toAnswer = (
  vault: Vault,
  requisite: Requisite,
  health: RequisiteHealth,
  usage: RequisiteUsage,
  pause: RequisitePause | undefined,
  now: Instant,
): HealthAnswer => {
  const nextLimit = requisite.status === 'retired' ? undefined : forecastLimit(requisite.limits, usage, now)
  return wire.fields({
    ...toRequisiteAnswer(vault, requisite),
    turnover: {
      ...{ open: usage.open, dayCount: usage.dayCount, monthCount: usage.monthCount },
      dayAmount: wire.amount(usage.dayAmount, requisite.currency),
      monthAmount: wire.amount(usage.monthAmount, requisite.currency),
    },
    room: roomLeft(requisite, usage),
    nextLimit: nextLimit === undefined ? null : { limit: nextLimit.limit, at: wire.time(nextLimit.at) },
    lastDay: toCounts(health.day),
    lastWeek: toCounts(health.week),
    ...{ lastPaidAt: health.lastPaidAt, lastMoneyAt: health.lastMoneyAt },
    ...{ expiredRun: health.expiredRun, unmatchedRun: health.unmatchedRun },
    pause: pause?.endedAt === null ? toPause(pause) : null,
  })
}

/** Health of requisites, and their pauses. */
export const requisiteHealthRoutes = routesForOperators()

const HealthFilterQuery = {
  mode: Type.Optional(Type.OneOf(merchantModes, 'Only those for real money, or for simulated money.')),
  method: Type.Optional(Type.OneOf(paymentMethods, 'Only of this payment method.')),
  currency: Type.Optional(Currency),
  bankIssuer: Type.Optional(BankCode, 'Only those at this bank.'),
  merchantId: Type.Optional(Id, "Only this merchant's own, without the shared pool."),
  id: Type.Optional(Id, 'Only this one.'),
  status: Type.Optional(Type.OneOf(requisiteStatuses, 'Only those with this status.')),
}

type HealthFilterQuery = Static<ReturnType<typeof Type.Object<typeof HealthFilterQuery>>>

const pickHealth = (context: Context, { status, ...wanted }: HealthFilterQuery, span: PageSpan) => {
  const usual = wanted.id === undefined ? (['active', 'paused'] as const) : requisiteStatuses
  return pickRequisites(context, status === undefined ? usual : [status], wanted, span)
}

const toHealth = async (context: Context, requisites: readonly Requisite[]): Promise<HealthAnswer[]> => {
  const now = context.clock()
  const usage = await readUsage(context, requisites, now)
  const ids = requisites.map((each) => each.id)
  const read = await readHealth(context, ids, now)
  return requisites.flatMap((each) => {
    const found = read.get(each.id)
    return found ? [toAnswer(context.vault, each, found.health, usage.get(each.id) ?? noUsage, found.pause, now)] : []
  })
}

requisiteHealthRoutes.get('/requisites/health', 'read', {
  id: 'listRequisiteHealth',
  summary: 'Report the health of requisites',
  description: 'Oldest first; without `status`, all that are not retired.',
  query: { ...PageQuery, ...HealthFilterQuery },
  answer: pageOf('requisites', HealthAnswer),
  exports: {
    rows: 'requisites',
    columns:
      'id,label,merchantId,merchantName,mode,method,bankIssuer,number,holder,status,pause.cause,currency,limits.minAmount,limits.maxAmount,turnover.dayAmount,limits.dayAmount,turnover.monthAmount,limits.monthAmount,turnover.open,lastDay.paid,lastDay.expired,lastWeek.paid,lastWeek.expired,lastPaidAt,lastMoneyAt',
  },
  handle: async (context, { query: { cursor: before = null, limit, ...wanted } }) => {
    const size = pageSize(limit)
    const { page, next } = cutPage(await pickHealth(context, wanted, { before, limit: size + 1 }), size)
    return { requisites: await toHealth(context, page), ...next }
  },
})

requisiteHealthRoutes.get('/requisites/pauses', 'read', {
  id: 'listRequisitePauses',
  summary: 'List automatic pauses of requisites',
  description:
    'Newest first. A pause lasts until the requisite is resumed (`PATCH /requisites/{id}` with `active`) or retired.',
  query: {
    ...PageQuery,
    open: Type.Optional(Type.OneOf(['true', 'false'], '`true`: only current pauses.')),
  },
  answer: pageOf('pauses', PauseAnswer),
  exports: 'pauses',
  handle: (context, { query: { open, ...query } }) =>
    readPage(
      'pauses',
      query,
      (span) => listPauses(context, { open: open === undefined ? null : open === 'true', ...span }),
      (pause) => ({ id: pause.id, requisiteId: pause.requisiteId, ...toPause(pause) }),
    ),
})
