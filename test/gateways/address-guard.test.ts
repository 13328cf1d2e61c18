// Addresses that notifications may go to: nothing but the public internet, however it is written or looked up.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { networkInterfaces } from 'node:os'
import { after, before, test } from 'node:test'
import { Agent } from 'undici'
import { addressRefused, guardLookup, isReachable, type Reach } from '../../src/gateways/address-guard.ts'
import { type HostAddress, openResolver, type ResolveHost, usualLookupTimes } from '../../src/gateways/open-resolver.ts'
import { createWebhookSender, type WebhookSender } from '../../src/gateways/webhook-sender.ts'
import { newWebhookSecret, webhookKey } from '../../src/secrets/webhook-secret.ts'
import { openNameServer } from '../support/name-server.ts'
import { goesOn, within } from '../support/waiting.ts'

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
  .map(({ address }) => address)

/** Ways to write the machine of the service in a URL; each of them leads there. */
const spellings = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.1.', '127.0.0.1.', '127.255.255.254', '127.0.0.01', '127.00.00.01'],
  ...['2130706433', '2130706433.', '0x7f000001', '0x7F.0.0.0x1', '0x7f.1', '0177.0.0.1', '0177.0x0.1', '017700000001'],
  ...['0', '00', '0.0', '0.0.0.0', '0x0', '0x', '0x00000000', '0.0.0.0.'],
  ...['１２７.０.０.１', '127。0。0。1', '127｡0｡0｡1', '①②⑦.⓪.⓪.①', '%31%32%37.0.0.1', '127%2e0%2E0.1', '１２７.1'],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0.0.0.1]', '[0::]'],
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::FFFF:7F00:0001]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::ffff:127.8.8.8]',
  ],
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'local%68ost',
    'ｌｏｃａｌｈｏｓｔ',
    'shop.localhost',
    '1.1.1.1@127.0.0.1',
  ],
  ...['shop.example.com:443@[::1]', ...own.map((address) => (address.includes(':') ? `[${address}]` : address))],
]
/** Others lead there only where a network carries IPv4 inside IPv6. */
const carried = [
  ...['[::127.0.0.1]', '[::ffff:0:7f00:1]', '[64:ff9b::127.0.0.1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]'],
  ...['[2001:0:0:0:0:0:80ff:fffe]', '[2001:db8::1]', '[fe80::1]', '[fd00:ec2::254]', '169.254.169.254', '10.0.0.1'],
]

const names: Readonly<Record<string, readonly string[]>> = {
  'loopback.test': ['127.0.0.1'],
  'other-loopback.test': ['127.8.8.8'],
  'any.test': ['0.0.0.0'],
  'loopback6.test': ['::1'],
  'any6.test': ['::'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'both.test': ['127.0.0.1', '::1'],
  'mixed.test': ['198.41.0.4', '127.0.0.1'],
  'mixed-other.test': ['127.0.0.1', '198.41.0.4'],
  'mixed-kinds.test': ['198.41.0.4', '::1'],
  'mixed-kinds-other.test': ['2001:503:ba3e::2:30', '127.0.0.1'],
  'mixed-mapped.test': ['198.41.0.4', '2001:503:ba3e::2:30', '::ffff:127.0.0.1'],
  ...Object.fromEntries(own.map((address, index) => [`own-${index}.test`, [address]])),
}

const send = (sender: WebhookSender, url: string, reach: Reach) =>
  sender.send({ url, reach, keys: [webhookKey(newWebhookSecret())], id: 'event', body: '{}', traceparent: '00-0-0-00' })

const sendTo = async (url: string, reach: Reach, nameServers: readonly string[] = []) => {
  const sender = createWebhookSender({ clock: Date.now, timeoutMs: 1000, nameServers })
  try {
    return await send(sender, url, reach)
  } finally {
    await sender.close()
  }
}

const lookUp = (resolve: ResolveHost, name: string): Promise<readonly HostAddress[]> =>
  new Promise((done, fail) => resolve(name, (error, found) => (error ? fail(error) : done(found))))

/** How often the canary is hit by a client without the guard; it goes to no public address. */
const hitUnguarded = async (url: string, resolve: ResolveHost): Promise<number> => {
  hits = 0
  const { hostname, port: of } = new URL(url)
  const isAddress = /^[[\d]/.test(hostname)
  const found = isAddress ? [{ address: hostname.replace(/^\[|\]$/g, '') }] : await lookUp(resolve, hostname)
  for (const { address } of found.filter((each) => !isReachable(each.address, 'public'))) {
    const agent = new Agent({ connect: { timeout: 1000 } })
    const origin = `http://${address.includes(':') ? `[${address}]` : address}:${of}`
    const { body } = await agent.request({ origin, path: '/', method: 'POST' })
    await body.dump()
    await agent.destroy()
  }
  return hits
}

test('no spelling of this machine reaches the canary; control: without the guard each one does', async () => {
  const resolver = openResolver(Date.now)
  for (const host of spellings) {
    assert.ok((await hitUnguarded(`http://${host}:${port}/`, resolver.resolve)) > 0, `${host} leads elsewhere`)
    hits = 0
    for (const scheme of ['http', 'https']) {
      const { error, httpStatus: status } = await sendTo(new URL(`${scheme}://${host}:${port}/`).href, 'public')
      assert.deepEqual([status, error], [null, 'address_refused'], `${scheme} ${host}`)
    }
    assert.equal(hits, 0, host)
  }
  for (const host of carried) {
    assert.equal((await sendTo(`http://${host}:${port}/`, 'public')).error, 'address_refused', host)
  }
})

test('no name that leads to this machine reaches the canary; control: without the guard each one does', async () => {
  const answers = Object.entries(names).map(([name, addresses]) => [name, [addresses]] as const)
  await using server = await openNameServer(Object.fromEntries(answers))
  const resolver = openResolver(Date.now, [server.address])
  for (const host of Object.keys(names)) {
    const url = `http://${host}:${port}/`
    assert.ok((await hitUnguarded(url, resolver.resolve)) > 0, `${host} leads elsewhere`)
    hits = 0
    assert.equal((await sendTo(url, 'public', [server.address])).error, 'address_refused', host)
    assert.equal((await sendTo(url, 'public', [server.address])).httpStatus, null)
    assert.equal(hits, 0, host)
  }
})

// Nobody has it: the guard lets it pass, and no packet for it gets further than the next router.
const nobodys = '3ffe::1'

test('a name that changes its address after it was checked (DNS rebinding) gains nothing', async () => {
  const turn = [[nobodys], ['127.0.0.1']]
  await using server = await openNameServer({ 'rebinding.test': turn, 'control.test': turn })
  const asked = (name: string) => server.questions.filter((question) => question === `AAAA ${name}`).length
  const sender = createWebhookSender({ clock: Date.now, timeoutMs: 500, nameServers: [server.address] })
  hits = 0
  const url = `http://rebinding.test:${port}/`
  const first = await send(sender, url, 'public')
  assert.match(String(first.error), /^(connection_failed|timeout)$/)
  assert.equal(asked('rebinding.test'), 1, 'what was checked is what is connected to')
  assert.equal((await send(sender, url, 'public')).error, 'address_refused')
  await sender.close()
  assert.equal(hits, 0)
  // Control: who checks a name and lets the client look it up again reaches the canary.
  const resolver = openResolver(Date.now, [server.address])
  const checked = await lookUp(resolver.resolve, 'control.test')
  assert.ok(checked.every(({ address }) => isReachable(address, 'public')))
  assert.ok((await hitUnguarded(`http://control.test:${port}/`, resolver.resolve)) > 0)
})

test('a look-up tells the addresses that were checked, and refuses all when one of them is refused', async () => {
  await using server = await openNameServer({ 'turning.test': [['198.41.0.4', '2606:4700::1'], ['127.0.0.1']] })
  const lookup = guardLookup('public', openResolver(Date.now, [server.address]).resolve)
  const look = () =>
    new Promise((resolve) => {
      lookup('turning.test', { all: true }, (error, addresses) => resolve(error ?? addresses))
    })
  assert.deepEqual(await look(), [
    { address: '198.41.0.4', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ])
  assert.deepEqual(server.questions.toSorted(), ['A turning.test', 'AAAA turning.test'])
  assert.deepEqual(await look(), addressRefused())
})

test('names whose servers say nothing are given up, and hold up no other connection', async () => {
  await using server = await openNameServer({ 'silent.test': [], 'shop.test': [['127.0.0.1']] })
  // Half of the times that a service gives them.
  const lookupTimes = { askMs: usualLookupTimes.askMs / 2, lookupMs: usualLookupTimes.lookupMs / 2 }
  assert.ok(usualLookupTimes.lookupMs <= 5000)
  const options = { clock: Date.now, timeoutMs: 60_000, nameServers: [server.address], lookupTimes }
  const sender = createWebhookSender(options)
  const silent = Array.from({ length: 50 }, () => send(sender, `https://silent.test:${port}/`, 'public'))
  const others = Promise.race(silent)
  assert.equal((await send(sender, `http://shop.test:${port}/`, 'loopback')).httpStatus, 200)
  assert.ok(await goesOn(others, 0), 'while the others are still being looked up')
  assert.ok(server.questions.filter((question) => question === 'A silent.test').length >= 50)
  const given = await within('they are given up before their minute is over', Promise.all(silent))
  for (const { error } of given) assert.equal(error, 'dns_failed')
  const left = send(sender, `https://silent.test:${port}/`, 'public')
  await sender.close()
  assert.equal((await left).httpStatus, null)
})

test('a name that is not there: dns_failed; names of this machine are asked of no server', async () => {
  await using server = await openNameServer({})
  assert.equal((await sendTo('http://nobody.test/', 'public', [server.address])).error, 'dns_failed')
  assert.deepEqual(server.questions.toSorted(), ['A nobody.test', 'AAAA nobody.test'])
  assert.equal((await sendTo(`http://localhost:${port}/`, 'loopback', [server.address])).httpStatus, 200)
  assert.equal(server.questions.length, 2)
})

test('where loopback is allowed it is reached, and nothing else that is not public', async () => {
  hits = 0
  assert.equal((await sendTo(`http://127.0.0.1:${port}/`, 'loopback')).httpStatus, 200)
  assert.equal((await sendTo(`http://[::1]:${port}/`, 'loopback')).httpStatus, 200)
  assert.equal(hits, 2)
  for (const host of ['0.0.0.0', '[::ffff:127.0.0.1]', '169.254.169.254']) {
    assert.equal((await sendTo(`http://${host}:${port}/`, 'loopback')).error, 'address_refused', host)
  }
  assert.equal(hits, 2)
})
