// Addresses of sources and channels may contain keys: who reads them sees only where they lead.
import assert from 'node:assert/strict'
import { query, text } from 'payin-database'
import { openOperator } from '../support/operator.ts'
import { shareEngines } from '../support/shared-service.ts'

const { onOne } = shareEngines()

const listAddresses = query('test_list_addresses', {
  row: { url: text },
  text: `select url from rate_sources union all select target ->> 'url' from alert_channels where kind = 'webhook'`,
})

onOne(
  'lists and the audit show no path or query of an address, and sending that back changes nothing',
  async (service) => {
    const [anna, vera] = [openOperator(service, 'anna'), openOperator(service, 'vera')]
    const source = { currency: 'rub', kind: 'json', name: 'keyed', pointer: '/rub' }
    const added = [
      await anna.call('POST', '/rate-sources', { ...source, url: 'https://rates.example.com/v1?apikey=SECRET' }),
      await anna.call('POST', '/alert-channels', {
        ...{ kind: 'webhook', name: 'hook', url: 'https://hooks.example.com/services/SECRET' },
      }),
    ]
    const shown = ['https://rates.example.com/…', 'https://hooks.example.com/…']
    assert.deepEqual(
      added.map(({ body }) => body.url),
      shown,
    )
    const stored = async () => (await service.context.query(listAddresses, {})).map(({ url }) => url)
    const before = await stored()
    for (const [index, path] of ['/rate-sources', '/alert-channels'].entries()) {
      const change = { name: 'renamed', url: shown[index] }
      const { status, body } = await anna.call('PATCH', `${path}/${added[index]?.body.id}`, change)
      assert.deepEqual([status, body.name, body.url], [200, 'renamed', shown[index]])
    }
    assert.deepEqual(await stored(), before)
    assert.ok(before.every((url) => url.includes('SECRET')))
    const seen = await Promise.all(
      ['/audit?limit=50', '/rate-sources', '/alert-channels'].map((path) => vera.get(path)),
    )
    assert.ok(!JSON.stringify(seen.map(({ body }) => body)).includes('SECRET'))
    const other = { url: 'https://rates.example.com/v2' }
    assert.equal((await anna.call('PATCH', `/rate-sources/${added[0]?.body.id}`, other)).status, 200)
    assert.ok((await stored()).includes(other.url))
  },
)
