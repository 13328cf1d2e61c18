import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { metricsDocument, processMetricNames } from '../../scripts/describe-metrics.ts'
import { type MetricDescriptor, metricDescriptors } from '../../src/metrics/descriptors.ts'
import { openMeter } from '../../src/metrics/meter.ts'
import { minute } from '../../src/rules/time.ts'
import { Refusal } from '../../src/rules/refusal.ts'
import { jobs } from '../../src/process/jobs/jobs.ts'
import { measureWaiting } from '../../src/engine/attention/measure-waiting.ts'
import { version } from '../../src/settings/version.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

const metricsToken = 'payin_metrics_0123456789abcdefghijklmnop'

/** The series of a scrape: their names with labels, sorted, and their values. */
const seriesOf = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
        assert.ok(name, line)
        const sorted = [...labels.matchAll(/\w+="(?:[^"\\]|\\.)*"/g)].map(([label]) => label).toSorted()
        return [`${name}{${sorted.join()}}`, Number(value)]
      }),
  )

const descriptors: readonly (readonly [string, MetricDescriptor])[] = Object.entries(metricDescriptors)

/** The descriptor of a series and the labels that the series has besides those of a histogram. */
const describedBy = (series: string) => {
  const [, name = '', labels = ''] = /^(\w+)\{(.*)\}$/.exec(series) ?? []
  const bare = name.replace(/_(?:bucket|sum|count)$/, '')
  const [, descriptor] = descriptors.find(([each, { type }]) => each === (type === 'histogram' ? bare : name)) ?? []
  const named = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label).filter((label) => label !== 'le')
  return { name, descriptor, named }
}

describe('metrics of a service', () => {
  let service: TestService
  let shop: Shop
  before(async () => {
    service = await openTestService(usualEngine(), {
      PAYIN_ROLES: 'web,worker',
      PAYIN_METRICS_PORT: '0',
      PAYIN_METRICS_TOKEN: metricsToken,
    })
    shop = await openShop(service, { perMethod: 1 })
  })
  after(() => service.stop())

  const get = (path: string, token?: string, base = `http://127.0.0.1:${service.metricsPort}`) =>
    fetch(base + path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
  const scrape = async (): Promise<Map<string, number>> => {
    const answer = await get('/metrics', metricsToken)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    return seriesOf(await answer.text())
  }
  /** Scrapes until a series has a value: jobs and hooks run after the answer. */
  const until = async (series: string, isWanted: (value: number | undefined) => boolean) => {
    for (let tries = 0; tries < 400; tries++) {
      const found = await scrape()
      if (isWanted(found.get(series))) return found
      await sleep(50)
    }
    throw new Error(`${series} is ${(await scrape()).get(series)}`)
  }

  test('requests are counted by route, method and class of status, refusals by their code, batches by their name', async () => {
    const route = 'method="POST",route="/api/v1/merchant/payments",status='
    const name = 'payin_http_request_duration_seconds'
    assert.equal((await shop.create('counted')).status, 201)
    assert.equal((await shop.create('refused', { amount: true })).status, 400)
    assert.equal((await get('/no/such/secret-path', undefined, service.url)).status, 404)
    const found = await until(`${name}_count{method="any",route="unknown",status="4xx"}`, (value) => value === 1)
    assert.equal(found.get(`${name}_count{${route}"2xx"}`), 1)
    assert.equal(found.get(`${name}_count{${route}"4xx"}`), 1)
    assert.equal(found.get(`${name}_bucket{le="+Inf",${route}"2xx"}`), 1)
    assert.ok((found.get(`${name}_sum{${route}"2xx"}`) ?? 0) > 0)
    assert.equal(found.get('payin_http_refusals_total{code="validation_failed"}'), 1)
    assert.equal(found.get('payin_batch_calls_sum{batch="create-payment"}'), 1)
    assert.ok(![...found.keys()].some((series) => series.includes('secret-path')))
  })

  test('jobs are counted, and one that succeeds is not late', async () => {
    const last = 'payin_job_last_success_timestamp_seconds{job_name="expire-payments"}'
    const found = await until(last, (value) => value === service.clock.now / 1000)
    assert.ok((found.get('payin_job_rounds_total{job_name="expire-payments",result="done"}') ?? 0) > 0)
    assert.ok((found.get('payin_job_lag_seconds{job_name="expire-payments"}') ?? Infinity) < 10)
    const lags = [...found.keys()].filter((series) => series.startsWith('payin_job_lag_seconds'))
    assert.equal(lags.length, jobs.length)
  })

  test('what is read from the database says when it was read, and shows what waits', async () => {
    const found = await scrape()
    assert.ok((found.get('payin_readings_timestamp_seconds{}') ?? 0) > 0)
    assert.equal(found.get('payin_waiting_items{kind="transfers"}'), 0)
    for (const queue of ['events', 'deliveries', 'statements', 'alert-messages'])
      assert.equal(found.get(`payin_queue_items{queue="${queue}"}`), 0, queue)
    assert.equal(found.get('payin_incidents_open{rule="invariant-broken"}'), 0)
    assert.equal(found.get('payin_invariant_broken{invariant="balances-add-up"}') ?? 0, 0)
    assert.ok((found.get('payin_rate_timestamp_seconds{currency="rub"}') ?? 0) > 0)
    assert.equal(
      found.get(
        `payin_build_info{engine="${service.context.engine}",node="${process.versions.node}",roles="web,worker",version="${version}"}`,
      ),
      1,
    )
    assert.equal(found.get('payin_ready{}'), 1)
    // An alert is about the first one, too: the series must be there before.
    assert.equal(found.get('payin_delivery_attempts_total{result="given-up"}'), 0)
    assert.ok((found.get('payin_database_connections_max{}') ?? 0) >= 1)
  })

  test('part-paid money is shown with its age', async () => {
    const amount = 5000.37
    const { body } = await shop.create('in-parts', { amount, method: 'card-to-card' })
    await payIn(service, { requisiteId: body.card.id, minor: 200_000n })
    const end = measureWaiting(service.context)
    const found = seriesOf(await service.context.meter.render())
    end()
    const { status } = (await shop.get('/payments/byOrderId/in-parts/status')).body
    assert.equal(status, 'processing')
    const [kind, currency] = ['kind="part-paid"', 'currency="rub"']
    const series = [`items{${kind}}`, `amount{${currency},${kind}}`, `oldest_timestamp_seconds{${kind}}`]
    assert.deepEqual(
      series.map((each) => found.get(`payin_waiting_${each}`)),
      [1, 2000, service.clock.now / 1000],
    )
  })

  test('every series is described, with its labels, and every process metric is of the library', async () => {
    const strange = [...(await scrape()).keys()].filter((series) => {
      const { name, descriptor, named } = describedBy(series)
      if (!descriptor) return !processMetricNames.includes(name.replace(/_(?:bucket|sum|count)$/, ''))
      return named.toSorted().join() !== [...descriptor.labels].toSorted().join()
    })
    assert.deepEqual(strange, [])
  })

  const hasPromtool = spawnSync('promtool', ['--version']).status === 0
  const skip = hasPromtool ? false : 'promtool is not installed (Debian: prometheus)'
  test('promtool reads a scrape, and finds nothing against our names', { skip }, async () => {
    const text = await (await get('/metrics', metricsToken)).text()
    const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    // Some names of the library are against the conventions.
    const ours = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !line.startsWith('nodejs_'))
    assert.deepEqual(ours, [])
  })

  test('the token guards /metrics on both ports; the own port also says whether the process is ready', async () => {
    for (const base of [undefined, service.url]) {
      assert.equal((await get('/metrics', undefined, base)).status, 401)
      assert.equal((await get('/metrics', `${metricsToken}x`, base)).status, 401)
      assert.equal((await get('/metrics', metricsToken, base)).status, 200)
    }
    assert.deepEqual([(await get('/healthz')).status, (await get('/readyz')).status], [200, 200])
    assert.equal((await get('/api/v1/merchant/payments', metricsToken)).status, 404)
  })
})

describe('the list of metrics', () => {
  test('names and labels follow the conventions of Prometheus', () => {
    for (const [name, { type, labels, buckets, help }] of descriptors) {
      assert.match(name, /^payin_[a-z]+(?:_[a-z]+)*$/)
      assert.equal(name.endsWith('_total'), type === 'counter', name)
      assert.doesNotMatch(name, /_(?:ms|milliseconds|minutes|percent|count|sum|bucket)$/)
      if (/duration|wait$|lag/.test(name)) assert.match(name, /_seconds$/)
      for (const label of labels) assert.match(label, /^[a-z]+(?:_[a-z]+)?$/)
      assert.equal(buckets !== undefined, type === 'histogram', name)
      assert.match(help, /\.$/, name)
    }
  })

  test('docs/operate/metrics.md is generated from it', () => {
    const committed = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'operate', 'metrics.md'), 'utf8')
    assert.equal(committed, metricsDocument(), 'run npm run generate')
  })

  test('a gauge shows exactly the series of the last look', async () => {
    const meter = openMeter()
    const states = [['in-use', 'idle'], ['idle']]
    const end = meter.onScrape(() =>
      (states.shift() ?? []).map((state) => ({ name: 'payin_database_connections', labels: { state }, value: 1 })),
    )
    const shown = async () => [...seriesOf(await meter.render()).keys()].filter((each) => each.includes('connections{'))
    assert.equal((await shown()).length, 2)
    assert.deepEqual(await shown(), ['payin_database_connections{state="idle"}'])
    end()
  })
})

test('the database is read for scrapes at most every 30 seconds, and what cannot be read keeps its last value and time', async () => {
  const service = await openTestService('embedded', { PAYIN_METRICS_PORT: '0' })
  try {
    const { context } = service
    let [ticks, reads, hangs, outage] = [0, 0, false, 0]
    let failure: Error | undefined
    const warned: unknown[] = []
    const log = {
      ...context.log,
      warn: ({ err }: { err: unknown }) => warned.push(err),
      debug: () => undefined,
    } as unknown as typeof context.log
    const query: typeof context.query = (asked, parameters) => {
      if (asked.name === 'list_waiting') reads++
      if (hangs) return new Promise(() => undefined)
      return failure ? Promise.reject(failure) : context.query(asked, parameters)
    }
    measureWaiting({ ...context, query, log, ticks: () => ticks, outage: () => outage })
    const readAt = async () => seriesOf(await context.meter.render()).get('payin_readings_timestamp_seconds{}')
    const first = service.clock.now / 1000
    // On a busy machine, the first look takes longer than a scrape waits.
    while ((await readAt()) === undefined) assert.equal(reads, 1)
    assert.equal(await readAt(), first)
    service.clock.advance(minute)
    ticks += 29_000
    assert.deepEqual([await readAt(), reads], [first, 1])
    ticks += 1000
    failure = new Error('gone')
    assert.deepEqual([await readAt(), reads], [first, 2])
    assert.deepEqual(warned, [failure])
    assert.equal(seriesOf(await context.meter.render()).get('payin_readings_failed_total{}'), 1)
    // Of an outage, the database itself says so, once; not of a query that takes too long, of which the error is the same.
    ticks += 30_000
    outage = 1
    failure = new Refusal('database_unavailable', 'The database is out of reach.')
    assert.deepEqual([await readAt(), reads], [first, 3])
    assert.equal(warned.length, 1)
    ticks += 30_000
    outage = 0
    assert.deepEqual([await readAt(), reads], [first, 4])
    assert.equal(warned.length, 2)
    ticks += 30_000
    failure = undefined
    assert.deepEqual([await readAt(), reads], [first + 60, 5])
    // While the database hangs, a scrape shows the last values after a second.
    hangs = true
    ticks += 30_000
    assert.deepEqual([await readAt(), reads], [first + 60, 6])
    assert.equal((await fetch(`${service.url}/metrics`)).status, 404)
  } finally {
    await service.stop()
  }
})
