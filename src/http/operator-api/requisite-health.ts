import { type PaymentCounts, successRate } from '../../rules/requisites/requisite-health.ts'
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
import {
  listPauses,
  readHealth,
  type RequisiteHealth,
  type RequisitePause,
} from '../../engine/requisites/health/read.ts'
import { readUsage } from '../../engine/requisites/start-allocation.ts'
import type { Vault } from '../../secrets/vault.ts'
import { cutPage, pageSize, type PageSpan, readPage } from '../routes/lists.ts'
import { type HealthFilterQuery, requisiteHealth } from '../../operations/requisite-health.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { pickRequisites, toRequisiteAnswer } from './requisites.ts'

const toCounts = (counts: PaymentCounts) => {
  const rate = successRate(counts)
  return { ...counts, successRate: rate === null ? null : Math.round(rate * 10_000) / 10_000 }
}

const toPause = ({ explanation, ...pause }: RequisitePause) => ({ ...pause, ...explanation })

const toAnswer = (
  vault: Vault,
  requisite: Requisite,
  health: RequisiteHealth,
  usage: RequisiteUsage,
  pause: RequisitePause | undefined,
  now: Instant,
) => ({
  ...toRequisiteAnswer(vault, requisite),
  ...{ ...health, lastDay: toCounts(health.day), lastWeek: toCounts(health.week) },
  turnover: usage,
  room: roomLeft(requisite, usage),
  nextLimit: requisite.status === 'retired' ? null : forecastLimit(requisite.limits, usage, now),
  pause: pause?.endedAt === null ? toPause(pause) : null,
})

const pickHealth = (context: Context, { status, ...wanted }: HealthFilterQuery, span: PageSpan) => {
  const usual = wanted.id === undefined ? (['active', 'paused'] as const) : requisiteStatuses
  return pickRequisites(context, status === undefined ? usual : [status], wanted, span)
}

const toHealth = async (context: Context, requisites: readonly Requisite[]) => {
  const now = context.clock()
  const usage = await readUsage(context, requisites, now)
  const ids = requisites.map((each) => each.id)
  const read = await readHealth(context, ids, now)
  return requisites.flatMap((each) => {
    const found = read.get(each.id)
    return found ? [toAnswer(context.vault, each, found.health, usage.get(each.id) ?? noUsage, found.pause, now)] : []
  })
}

export const requisiteHealthRoutes = bindOperations(requisiteHealth, {
  health: async (context, { query: { cursor: before = null, limit, ...wanted } }) => {
    const size = pageSize(limit)
    const { page, next } = cutPage(await pickHealth(context, wanted, { before, limit: size + 1 }), size)
    return { requisites: await toHealth(context, page), ...next }
  },
  pauses: (context, { query: { open, ...query } }) =>
    readPage(
      'pauses',
      query,
      (span) => listPauses(context, { open: open === undefined ? null : open === 'true', ...span }),
      toPause,
    ),
})
