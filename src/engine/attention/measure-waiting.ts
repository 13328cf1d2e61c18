import type { Context } from '../context.ts'
import { type AlertRuleName, alertRuleNames } from '../../rules/notices/alert.ts'
import { currencyDecimals } from '../../rules/values/currency.ts'
import { type Instant, second } from '../../rules/time.ts'
import { listQueues } from '../installation/read.ts'
import { invariantNames } from '../invariants/check-invariants.ts'
import { currentRates } from '../merchants/rates/rate.ts'
import { listRateSources } from '../merchants/rates/sources/source.ts'
import type { GaugeName, Labels } from '../../metrics/descriptors.ts'
import type { Sample, SampleOf } from '../../metrics/meter.ts'
import { getOpenChecks, getWaiting } from './read.ts'

/** The shortest interval between readings, however often and by however many they are scraped. */
const readEveryMs = 30 * second
/** How long a scrape waits for them: the other metrics must be visible even while the database hangs. */
const patienceMs = second
/** Most series per gauge: operators name the sources of rates. */
const mostSeries = 200

const timed = <N extends GaugeName>(
  { name, labels }: { readonly name: N; readonly labels: Labels<N> },
  at: Instant | null,
): SampleOf<N>[] => (at === null ? [] : [{ name, labels, value: at / 1000 }])

const sampleQueues = async (context: Context): Promise<Sample[]> => {
  const queues = await listQueues(context)
  return queues.flatMap(({ name, waiting, oldestAt }): Sample[] => {
    const labels = { queue: name.replaceAll(' ', '-') }
    return [
      { name: 'payin_queue_items', labels, value: Number(waiting) },
      ...timed({ name: 'payin_queue_oldest_timestamp_seconds', labels }, oldestAt),
    ]
  })
}

const sampleWaiting = async (context: Context): Promise<Sample[]> => {
  const waiting = await getWaiting(context, 'live')
  return waiting.flatMap(({ kind, count, since, dueAt, amounts }): Sample[] => [
    { name: 'payin_waiting_items', labels: { kind }, value: count },
    ...timed({ name: 'payin_waiting_oldest_timestamp_seconds', labels: { kind } }, since),
    ...timed({ name: 'payin_waiting_deadline_timestamp_seconds', labels: { kind } }, dueAt),
    ...amounts.map(({ currency, amount }): Sample => {
      const value = Number(amount) / 10 ** currencyDecimals(currency)
      return { name: 'payin_waiting_amount', labels: { kind, currency }, value }
    }),
  ])
}

const sampleChecks = async (context: Context): Promise<Sample[]> => {
  const checks = await getOpenChecks(context)
  const broken = new Set(checks.flatMap(({ subject }) => (subject === null ? [] : subject.replace('invariant:', ''))))
  const openOf = (rule: AlertRuleName): number =>
    checks.reduce((sum, each) => sum + (each.rule === rule ? each.open : 0), 0)
  const invariants = checks.find(({ rule }) => rule === 'invariant-broken')
  return [
    ...alertRuleNames.map((rule) => ({ name: 'payin_incidents_open', labels: { rule }, value: openOf(rule) }) as const),
    ...invariantNames.map((invariant): Sample => {
      return { name: 'payin_invariant_broken', labels: { invariant }, value: broken.has(invariant) ? 1 : 0 }
    }),
    ...timed({ name: 'payin_invariants_checked_timestamp_seconds', labels: {} }, invariants?.checkedAt ?? null),
  ]
}

const sampleRates = async (context: Context): Promise<Sample[]> => {
  const [rates, sources] = await Promise.all([context.catalog.get(currentRates), listRateSources(context)])
  return [
    ...[...rates.values()].flatMap(({ currency, createdAt, validUntil }): Sample[] => [
      ...timed({ name: 'payin_rate_timestamp_seconds', labels: { currency } }, createdAt),
      ...timed({ name: 'payin_rate_valid_until_timestamp_seconds', labels: { currency } }, validUntil),
    ]),
    ...sources.slice(0, mostSeries).flatMap(({ currency, name, enabled, pricedAt, failingSince }): Sample[] => {
      if (!enabled) return []
      const labels = { currency, source: name }
      const failing = failingSince === null ? 0 : 1
      return [
        ...timed({ name: 'payin_rate_source_priced_timestamp_seconds', labels }, pricedAt),
        { name: 'payin_rate_source_failing', labels, value: failing },
      ]
    }),
  ]
}

const readAll = async (context: Context): Promise<Sample[]> => {
  const now = context.clock()
  const samplers = [sampleQueues, sampleWaiting, sampleChecks, sampleRates]
  const read = await Promise.all(samplers.map((sample) => sample(context)))
  return [...read.flat(), { name: 'payin_readings_timestamp_seconds', labels: {}, value: now / 1000 }]
}

/**
 * Starts showing at each scrape what waits in the database: the last values, which are read again once they are older
 * than half a minute. Values that cannot be read stay, with their time; a scrape does not wait long for them. Returns
 * a function that ends this.
 */
export const measureWaiting = (context: Context): (() => void) => {
  let samples: readonly Sample[] = []
  let readAt = -Infinity
  let reading: Promise<void> | undefined
  const read = async (): Promise<void> => {
    readAt = context.ticks()
    try {
      samples = await readAll(context)
    } catch (error) {
      context.meter.count('payin_readings_failed_total', {})
      // A database outage has its own log line; a query that takes too long has none.
      const level = context.outage() > 0 ? 'debug' : 'warn'
      context.log[level]({ err: error }, 'the values of the metrics cannot be read')
    }
  }
  return context.meter.onScrape(async () => {
    if (context.ticks() - readAt >= readEveryMs) reading = read()
    await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, patienceMs).unref())])
    return samples
  })
}
