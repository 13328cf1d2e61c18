// A whole shop on Medusa: TEST_MEDUSA is a folder in which `npm install @medusajs/medusa @medusajs/framework
// @medusajs/cli` was run (670 MB, which is why the project does not install it).
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { writeLibrary } from '../../scripts/pack.ts'
import { Payin } from '../../sdk/src/payin-sdk.ts'
import { openDatabaseProxy } from '../support/database-proxy.ts'
import { demoToken, freePort, startProcess } from '../support/process.ts'
import { createEmptyPostgres } from '../support/templates.ts'

const root = resolve(import.meta.dirname, '..', '..')
const medusa = process.env['TEST_MEDUSA']
const server = process.env['TEST_DATABASE_URL']

const config = `
const { defineConfig } = require('@medusajs/framework/utils')
const { DATABASE_URL: databaseUrl, PAYIN_URL: baseUrl, PAYIN_TOKEN: token, PAYIN_WEBHOOK_SECRET: webhookSecret } = process.env
const http = { storeCors: '*', adminCors: '*', authCors: '*', jwtSecret: 'of a test', cookieSecret: 'of a test' }
const payin = { resolve: 'medusa-payment-payin', id: 'payin', options: { baseUrl, token, webhookSecret } }
module.exports = defineConfig({
  projectConfig: { databaseUrl, http, databaseDriverOptions: { connection: { ssl: false } } },
  admin: { disable: true },
  modules: [{ resolve: '@medusajs/medusa/payment', options: { webhook_delay: 100, providers: [payin] } }],
})
`

const seed = `
const { Modules } = require('@medusajs/framework/utils')
const flows = require('@medusajs/medusa/core-flows')
exports.default = async ({ container }) => {
  const run = async (flow, input) => (await flow(container).run({ input })).result
  const [channel] = await run(flows.createSalesChannelsWorkflow, { salesChannelsData: [{ name: 'Shop' }] })
  const [key] = await run(flows.createApiKeysWorkflow, { api_keys: [{ title: 'Shop', type: 'publishable', created_by: '' }] })
  await run(flows.linkSalesChannelsToApiKeyWorkflow, { id: key.id, add: [channel.id] })
  const [region] = await run(flows.createRegionsWorkflow, {
    regions: [{ name: 'Russia', currency_code: 'rub', countries: ['ru'], payment_providers: ['pp_payin_payin'] }],
  })
  const items = [{ title: 'Tea', quantity: 1, unit_price: 5000.37, requires_shipping: false }]
  const cart = { currency_code: 'rub', region_id: region.id, sales_channel_id: channel.id, email: 'anna@example.com', items }
  const { id } = await container.resolve(Modules.CART).createCarts(cart)
  console.log('SEEDED ' + JSON.stringify({ key: key.token, cart: id }))
}
`

/** A folder of a Medusa application with the plug-in and the SDK as their packages would be installed. */
const makeApplication = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'payin-medusa-'))
  const packages = join(folder, 'node_modules')
  mkdirSync(join(folder, 'src/scripts'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "name": "shop", "dependencies": { "@medusajs/medusa": "*" } }')
  writeFileSync(join(folder, 'medusa-config.js'), config)
  writeFileSync(join(folder, 'src/scripts/seed.js'), seed)
  mkdirSync(packages)
  const installed = join(medusa ?? '', 'node_modules')
  for (const name of readdirSync(installed)) symlinkSync(join(installed, name), join(packages, name))
  for (const [name, source] of [
    ['payin-sdk', 'sdk'],
    ['medusa-payment-payin', 'plugins/medusa'],
  ] as const) {
    const target = join(packages, name)
    rmSync(target, { recursive: true, force: true })
    writeLibrary(join(root, source), target)
  }
  return folder
}

test('an order of a shop on Medusa is paid by a bank transfer, captured and acknowledged', {
  skip: !medusa ? 'TEST_MEDUSA names no installed Medusa' : !server ? 'no PostgreSQL on this machine' : false,
  timeout: 240_000,
}, async () => {
  await using closing = new AsyncDisposableStack()
  const folder = makeApplication()
  closing.defer(() => rmSync(folder, { recursive: true, force: true }))
  const database = await createEmptyPostgres(server ?? '')
  closing.defer(() => database.drop())
  // Medusa's driver knows no sockets of the file system.
  const proxy = await openDatabaseProxy(database.url)
  closing.defer(() => proxy.cut())
  const dataDir = mkdtempSync(join(tmpdir(), 'payin-medusa-data-'))
  closing.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const payinService = await startProcess({ PORT: '0', PAYIN_DATA_DIR: dataDir, PAYIN_NOTIFICATION_LOOPBACK: 'on' })
  closing.defer(async () => void (await payinService.end('SIGTERM')))
  const baseUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(payinService.output())?.[0] ?? ''
  const payin = new Payin({ baseUrl, token: demoToken(payinService) })
  const port = String(await freePort())
  const endpoint = await payin.endpoints.create({ url: `http://127.0.0.1:${port}/hooks/payment/payin_payin` })
  const environment = {
    ...process.env,
    ...{ DATABASE_URL: proxy.url, PAYIN_URL: baseUrl, PAYIN_TOKEN: demoToken(payinService) },
    ...{ PAYIN_WEBHOOK_SECRET: endpoint.secret, MEDUSA_DISABLE_TELEMETRY: 'true', NODE_ENV: 'production', PORT: port },
  }
  const cli = join(medusa ?? '', 'node_modules/@medusajs/cli/cli.js')
  const run = (...words: string[]) =>
    promisify(execFile)(process.execPath, [cli, ...words], { cwd: folder, env: environment })
  await run('db:migrate')
  const { stdout } = await run('exec', './src/scripts/seed.js')
  const seeded = JSON.parse(/SEEDED (.*)/.exec(stdout)?.[1] ?? '{}')
  const shop = spawn(process.execPath, [cli, 'start'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  closing.defer(() => void shop.kill('SIGKILL'))
  let log = ''
  for (const stream of [shop.stdout, shop.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (log += text))
  const headers = { 'x-publishable-api-key': seeded.key, 'content-type': 'application/json' }
  const ask = async (path: string, body?: object) => {
    const method = body === undefined ? 'GET' : 'POST'
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(`http://127.0.0.1:${port}/store/${path}`, init)
    const text = await response.text()
    assert.equal(response.status, 200, `${path}: ${text}`)
    return JSON.parse(text)
  }
  while (!(await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined))?.ok) await sleep(300)
  const { payment_collection: collection } = await ask('payment-collections', { cart_id: seeded.cart })
  const begun = await ask(`payment-collections/${collection.id}/payment-sessions`, { provider_id: 'pp_payin_payin' })
  const [session] = begun.payment_collection.payment_sessions
  assert.match(session.data.redirectUrl, /payment-sbp$/)
  assert.equal((await payin.payments.get(session.data.orderId)).amount, 5000.37)
  await payin.sandbox.simulate(session.data.orderId, { event: 'paid' })
  let acknowledged = 0
  for (let waited = 0; acknowledged === 0 && waited < 60; waited++) {
    await sleep(1000)
    for await (const payment of payin.payments.list({ acknowledged: true }))
      if (payment.orderId === session.data.orderId) acknowledged++
  }
  assert.equal(acknowledged, 1, log.slice(-5000))
  // The notification made the order, too: the customer need not come back.
  const completed = await ask(`carts/${seeded.cart}/complete`, {})
  assert.equal(completed.type, 'order', JSON.stringify(completed))
  const { order } = await ask(`orders/${completed.order.id}?fields=payment_status,total,*payment_collections`)
  assert.deepEqual([order.payment_status, order.total], ['captured', 5000.37])
})
