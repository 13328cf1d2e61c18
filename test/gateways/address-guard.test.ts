// Addresses that notifications may go to: nothing but the public internet, however it is written or looked up.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { networkInterfaces } from 'node:os'
import { after, before, test } from 'node:test'
import { Agent } from 'undici'
import {
  addressRefused,
  guardLookup,
  isReachable,
  type Reach,
  type ResolveHost,
} from '../../src/gateways/address-guard.ts'
import { createWebhookSender } from '../../src/gateways/webhook-sender.ts'
import { newWebhookSecret } from '../../src/secrets/webhook-secret.ts'

const refused = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.8.8.8'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.0.170', '192.0.2.1', '192.88.99.1'],
  ...['192.168.0.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.250'],
  ...['240.0.0.1', '255.255.255.255', '192.31.196.1', '192.52.193.1', '192.175.48.1'],
  ...['::', '::1', '::7f00:1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
  ...['::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '100::1', '100:0:0:1::1'],
  ...['2001::1', '2001:0:7f00:1::', '2001:2::1', '2001:10::1', '2001:20::1', '2001:db8::1', '2002:7f00:1::'],
  ...['2002:a00:1::1', '2002:808:808::1', '3fff::1', '5f00::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'febf::1'],
  ...['fec0::1', 'ff02::1', 'ff0e::1', '2620:4f:8000::1', '4000::1', 'fe80::1%lo', '1.1.1.1%1', '', 'localhost'],
]
const reachable = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
]
const reachableToo = ['128.0.0.1', '172.15.0.1', '172.32.0.1', '192.0.1.1', '192.167.1.1', '198.17.0.1', '198.20.0.1']
const reachable6 = ['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450::1', '2003::1', '2400::1', '2001:200::1']

for (const address of refused) {
  test(`${address || 'nothing'} is not reachable`, () => assert.equal(isReachable(address, 'public'), false))
}

test('public addresses are reachable, also those next to the ranges that are not', () => {
  const wrong = [...reachable, ...reachableToo, ...reachable6].filter((address) => !isReachable(address, 'public'))
  assert.deepEqual(wrong, [])
})

test('only loopback itself is added where it is allowed', () => {
  const allowed = refused.filter((address) => isReachable(address, 'loopback'))
  assert.deepEqual(allowed, ['127.0.0.1', '127.8.8.8', '::1'])
})

let canary: Server
let hits = 0
let port = 0
before(async () => {
  canary = createServer((_request, response) => response.end())
  canary.on('connection', () => hits++)
  canary.listen(0, '::')
  await once(canary, 'listening')
  const address = canary.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  port = address.port
})
after(() => {
  canary.closeAllConnections()
  canary.close()
})

const own = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .filter(({ address }) => !isReachable(address, 'public') && !address.includes('%'))
  .filter(({ scopeid }) => !scopeid)
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))

/** Ways to write the machine of the service in a URL. */
const spellings = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '0x7F.0.0.0x1',
  ],
  ...['127.0.0.1.', '0', '0.0.0.0', '0x0', '127.255.255.254', '１２７.０.０.１', '127。0。0。1', '%31%32%37.0.0.1'],
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::ffff:0:7f00:1]',
  ],
  ...['[64:ff9b::127.0.0.1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:0:0:0:0:80ff:fffe]'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'ip6-localhost', ...own],
]

const names: Readonly<Record<string, readonly string[]>> = {
  'private.test': ['10.0.0.1'],
  'loopback.test': ['127.0.0.1'],
  'loopback6.test': ['::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'mixed.test': ['203.0.114.1', '127.0.0.1'],
  'mixed-other.test': ['127.0.0.1', '203.0.114.1'],
}

const asAddresses = (addresses: readonly string[]) =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

const resolveHost: ResolveHost = (hostname, callback) => callback(null, asAddresses(names[hostname] ?? ['127.0.0.1']))

const sendTo = async (url: string, reach: Reach, resolve?: ResolveHost) => {
  const options = { clock: Date.now, timeoutMs: 1000 }
  const sender = createWebhookSender(resolve ? { ...options, resolveHost: resolve } : options)
  try {
    const request = { url, reach, secrets: [newWebhookSecret()], id: 'event', body: '{}', traceparent: '00-0-0-00' }
    return await sender.send(request)
  } finally {
    await sender.close()
  }
}

test('no spelling of this machine and no name that leads to it reaches the canary', async () => {
  hits = 0
  for (const host of spellings) {
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}:${port}/`
      if (!URL.canParse(url)) continue
      const { error, status } = await sendTo(new URL(url).href, 'public')
      assert.equal(status, null, url)
      assert.match(String(error), /^(address_refused|dns_failed)$/, url)
    }
  }
  for (const host of Object.keys(names)) {
    const { error } = await sendTo(`http://${host}:${port}/`, 'public', resolveHost)
    assert.equal(error, 'address_refused', host)
  }
  assert.equal(hits, 0)
})

test('a name is looked up once for a connection, and what was checked is what is connected to', async () => {
  hits = 0
  let looks = 0
  const rebinding: ResolveHost = (_hostname, callback) =>
    callback(null, asAddresses(looks++ === 0 ? ['198.41.0.4', '2606:4700::1'] : ['127.0.0.1']))
  const lookup = guardLookup('public', rebinding)
  const look = () =>
    new Promise((resolve) => {
      lookup('rebinding.test', { all: true }, (error, addresses) => resolve(error ?? addresses))
    })
  assert.deepEqual(await look(), asAddresses(['198.41.0.4', '2606:4700::1']))
  assert.equal(looks, 1)
  assert.deepEqual(await look(), addressRefused())
  const { error } = await sendTo(`http://rebinding.test:${port}/`, 'public', rebinding)
  assert.equal(error, 'address_refused')
  assert.equal(hits, 0)
})

test('control: the same canary is hit without the guard, and where loopback is allowed', async () => {
  hits = 0
  const agent = new Agent()
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', 'localhost']) {
    const { statusCode, body } = await agent.request({ origin: `http://${host}:${port}`, path: '/', method: 'POST' })
    await body.dump()
    assert.equal(statusCode, 200)
  }
  await agent.destroy()
  assert.ok(hits > 0)
  hits = 0
  assert.equal((await sendTo(`http://127.0.0.1:${port}/`, 'loopback')).status, 200)
  assert.equal(hits, 1)
})
