// Clients that two generators make of the OpenAPI document compile, and take a payment from its creation to the list.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { apiDocument } from '../support/api-document.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'

const root = resolve(import.meta.dirname, '..', '..')

/** Generators are loaded by name: they are needed where these tests run, and for no types. */
const load = (name: string): Promise<unknown> => import(name)

type Flow = (baseUrl: string, token: string, play: () => Promise<void>) => Promise<unknown>

// As an integrator writes it: `play` lets the simulated bank of the tests do what is due.
const withFetch = `
import createClient from 'openapi-fetch'
import type { components, paths } from './types'

type Problem = components['schemas']['Problem']
const valueOf = <Value>({ data, error }: { data?: Value; error?: Problem }): Value => {
  if (data === undefined) throw new Error(error?.code ?? 'no answer')
  return data
}

export const run = async (baseUrl: string, token: string, play: () => Promise<void>) => {
  const orderId = 'with-fetch'
  const payin = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } })
  const body = { type: 'direct', amount: 5000.37, orderId, currency: 'rub', method: 'sbp' } as const
  const made = valueOf(await payin.POST('/api/v1/merchant/payments', { body }))
  const path = { orderId }
  const event: components['schemas']['Simulation']['event'] = 'paid'
  valueOf(await payin.POST('/api/v1/sandbox/payments/byOrderId/{orderId}/simulate', { params: { path }, body: { event } }))
  await play()
  const polled = valueOf(
    await payin.GET('/api/v1/merchant/payments/byOrderId/{orderId}/status', { params: { path, query: { wait: 10 } } }),
  )
  const acked = valueOf(await payin.POST('/api/v1/merchant/payments/byOrderId/ack', { body: { orderId, status: polled.status } }))
  const query = { limit: 5, acknowledged: true, amountFrom: 5000, currency: 'rub' }
  const { payments } = valueOf(await payin.GET('/api/v1/merchant/payments', { params: { query } }))
  const refused = await payin.GET('/api/v1/merchant/payments/byOrderId/{orderId}', { params: { path: { orderId: 'none' } } })
  const code: components['schemas']['ErrorCode'] | undefined = refused.error?.code
  return {
    phone: made.card.phone,
    status: acked.status,
    listed: payments.map((payment) => [payment.orderId, payment.amount, payment.acknowledgedAt === acked.acknowledgedAt]),
    code,
  }
}
`

const withClasses = `
import { ApiError, OpenAPI, PaymentsService, type Problem, SandboxService } from './client'

export const run = async (baseUrl: string, token: string, play: () => Promise<void>) => {
  const orderId = 'with-classes'
  OpenAPI.BASE = baseUrl
  OpenAPI.TOKEN = token
  const made = await PaymentsService.createPayment({ type: 'direct', amount: 5000.37, orderId, currency: 'rub', method: 'sbp' })
  await SandboxService.simulatePayment(orderId, { event: 'paid' })
  await play()
  const polled = await PaymentsService.getPaymentStatus(orderId, 10)
  const acked = await PaymentsService.acknowledgePayment({ orderId, status: polled.status })
  const { payments } = await PaymentsService.listPayments()
  const refused: unknown = await PaymentsService.getPayment('none').catch((error: unknown) => error)
  if (!(refused instanceof ApiError)) throw new Error('not refused')
  return {
    phone: made.card.phone,
    status: acked.status,
    listed: payments
      .filter((payment) => payment.orderId === orderId)
      .map((payment) => [payment.orderId, payment.amount, payment.acknowledgedAt === acked.acknowledgedAt]),
    code: (refused.body as Problem).code,
  }
}
`

const compilerOptions = {
  strict: true,
  target: 'esnext',
  lib: ['esnext', 'dom'],
  module: 'esnext',
  moduleResolution: 'bundler',
  noEmit: true,
  types: [],
}

describe('clients made of the OpenAPI document', () => {
  const service = shareService()
  const folder = mkdtempSync(join(tmpdir(), 'payin-clients-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  before(async () => {
    type Types = { default: (document: object) => Promise<string> }
    type Classes = { default: { generate: (options: object) => Promise<void> } }
    const { default: typesOf } = (await load('openapi-typescript')) as Types
    const { default: classes } = (await load('openapi-typescript-codegen')) as Classes
    writeFileSync(join(folder, 'types.ts'), await typesOf(structuredClone(apiDocument)))
    const output = join(folder, 'client')
    await classes.generate({ input: structuredClone(apiDocument), output, httpClient: 'fetch', useUnionTypes: true })
    writeFileSync(join(folder, 'with-fetch.ts'), withFetch)
    writeFileSync(join(folder, 'with-classes.ts'), withClasses)
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  })

  test('compile under strict, with the programs that use them', async () => {
    const compiler = join(root, 'node_modules', '.bin', 'tsc')
    const failure = await promisify(execFile)(compiler, ['-p', folder]).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    )
    assert.equal(failure, '')
  })

  for (const program of ['with-fetch', 'with-classes']) {
    test(`create, simulate, poll, acknowledge and list: ${program}`, async () => {
      const shop = await openShop(service(), { mode: 'sandbox' })
      const bundle = await rolldown({ input: join(folder, `${program}.ts`), platform: 'node' })
      const file = join(folder, `${program}.mjs`)
      await bundle.write({ file })
      await bundle.close()
      const { run } = (await load(pathToFileURL(file).href)) as { run: Flow }
      const { phone, ...done } = (await run(service().url, shop.token, () => service().runJobs())) as { phone: string }
      assert.match(phone, /^7\d{10}$/)
      assert.deepEqual(done, { status: 'paid', listed: [[program, 5000.37, true]], code: 'payment_not_found' })
    })
  }
})
