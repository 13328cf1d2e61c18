// Lists that have a most: it holds in a race, too, where the last one that fits is added many times at once.
import assert from 'node:assert/strict'
import { openOperator } from '../support/operator.ts'
import { runSql } from '../support/run-sql.ts'
import { onPostgres } from '../support/service.ts'

const races: readonly (readonly [
  what: string,
  most: number,
  add: readonly [method: 'POST' | 'PUT', path: (name: string) => string, body: (name: string) => object],
  fill: string,
])[] = [
  [
    'alert channels',
    50,
    [
      'POST',
      () => '/alert-channels',
      (name) => ({ kind: 'telegram', name, chatId: '1', botToken: `123456:${'a'.repeat(35)}` }),
    ],
    `insert into alert_channels (id, name, kind, target, secret_sealed, enabled, created_at)
      select gen_random_uuid(), 'channel ' || n, 'telegram', '{"chatId": "1"}', 'x', false, now() from generate_series(1, 49) as n`,
  ],
  [
    'sources of rates',
    200,
    ['POST', () => '/rate-sources', (name) => ({ currency: 'rub', kind: 'fixed', name, price: 92.5 })],
    `insert into rate_sources (id, currency, name, kind, rank, fixed_price, spread_ppm, max_step_ppm, every_ms, max_age_ms,
        enabled, next_fetch_at, created_at)
      select gen_random_uuid(), 'rub', 'source ' || n, 'fixed', 2, 9250000000, 0, 30000, 60000, 600000, false, now(), now()
      from generate_series(1, 199) as n`,
  ],
]

onPostgres('a list that has a most has no more after a race', async (service) => {
  const operator = openOperator(service)
  for (const [what, most, [method, path, body], fill] of races) {
    await runSql(service, fill)
    const names = Array.from({ length: 6 }, (_, index) => `last ${index}`)
    const answers = await Promise.all(
      names.map((name) => operator.call(method, path(encodeURIComponent(name)), body(name))),
    )
    const added = answers.filter(({ status }) => status < 300)
    assert.equal(added.length, 1, `${what}: ${JSON.stringify(answers.map((each) => each.body))}`)
    for (const { status, body: refusal } of answers)
      if (status >= 300) assert.match(refusal.detail, new RegExp(`${most}`), what)
  }
})
