import assert from 'node:assert/strict'
import { scopes, type Scope } from '../../src/rules/members/access.ts'
import type { MerchantMode, MerchantSettings, Terms } from '../../src/rules/merchants/merchant.ts'
import { methodRules, type PaymentMethod, paymentMethods } from '../../src/rules/values/payment-method.ts'
import type { RequisiteLimits } from '../../src/rules/requisites/requisite.ts'
import { createMerchant, setLimits, setTerms } from '../../src/engine/merchants/merchant.ts'
import { issueToken } from '../../src/engine/merchants/tokens.ts'
import { setRate } from '../../src/engine/merchants/rates/rate.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { setBankIssuers } from '../../src/engine/requisites/bank-issuers.ts'
import type { TestService } from './service.ts'

/** An answer of the service, its body parsed if it is JSON. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies freely; a wrong name fails an assertion
  readonly body: any
}

/** Sends one request to the service. */
export const send = async (
  service: Pick<TestService, 'url'>,
  path: string,
  init: RequestInit = {},
): Promise<Answer> => {
  const response = await fetch(service.url + path, { redirect: 'manual', ...init })
  const text = await response.text()
  const isJson = text !== '' && (response.headers.get('content-type') ?? '').includes('json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

const json = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })

/** A merchant's server: its token, and calls of the merchant API. */
export type Shop = {
  readonly merchantId: string
  readonly token: string
  readonly requisiteIds: readonly string[]
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  patch(path: string, body: unknown): Promise<Answer>
  remove(path: string): Promise<Answer>
  /** Creates a direct SBP payment, by default of 5000 rub. */
  create(orderId: string, fields?: Record<string, unknown>): Promise<Answer>
  /** Plays what a sandbox payment gets from its payer, bank or operators; the jobs carry it out. */
  simulate(orderId: string, body: Record<string, unknown>): Promise<void>
  status(orderId: string): Promise<string>
}

/** Creates the banks, limits and rates that all shops of the tests share. */
const seedReference = async (service: TestService, hasRate: boolean): Promise<void> => {
  await service.context.transaction(async (tx) => {
    await setBankIssuers(tx, [
      { code: 'bank-a', name: 'Bank A', country: 'RU', sbpMemberId: null },
      { code: 'bank-b', name: 'Bank B', country: 'RU', sbpMemberId: null },
    ])
    await setLimits(tx, null, { currency: 'rub', min: 100_00n, max: 300_000_00n })
    if (hasRate) await setRate(tx, { currency: 'rub', price: 92_50000000n, source: 'test', validUntil: null })
  })
}

let numbers = 1_234_567

/** A well-formed number that no other requisite of this process has. */
export const newNumber = (method: PaymentMethod): string => methodRules[method].madeUpNumber(++numbers)

/** Opens a shop with its own requisites: `perMethod` for every method, in turn of bank-a and bank-b. */
export const openShop = async (
  service: TestService,
  wanted: {
    readonly name?: string
    readonly mode?: MerchantMode
    readonly settings?: Partial<MerchantSettings>
    readonly terms?: Partial<Terms>
    readonly scopes?: readonly Scope[]
    readonly allowList?: readonly string[]
    readonly expiresAt?: number
    readonly perMethod?: number
    readonly limits?: Partial<RequisiteLimits>
    readonly holder?: string
    /** Whether there is a rate of roubles; default: yes. */
    readonly hasRate?: boolean
  } = {},
): Promise<Shop> => {
  await seedReference(service, wanted.hasRate ?? true)
  const opened = await service.context.transaction(async (tx) => {
    const merchant = await createMerchant(tx, {
      name: wanted.name ?? 'Test Shop',
      mode: wanted.mode ?? 'live',
      settings: wanted.settings ?? {},
    })
    for (const method of paymentMethods) if (wanted.terms) await setTerms(tx, merchant.id, method, wanted.terms)
    const issued = await issueToken(tx, {
      merchantId: merchant.id,
      name: 'test',
      scopes: wanted.scopes ?? scopes,
      allowList: wanted.allowList ?? [],
      expiresAt: wanted.expiresAt ?? null,
    })
    const requisites = paymentMethods.flatMap((method) =>
      Array.from({ length: wanted.perMethod ?? 4 }, (_, index) => ({
        merchantId: merchant.id,
        mode: merchant.mode,
        method,
        currency: 'rub',
        transferScope: methodRules[method].transferScope,
        bankIssuer: index % 2 === 0 ? 'bank-a' : 'bank-b',
        holder: wanted.holder ?? 'Ivan Petrov',
        number: newNumber(method),
        limits: wanted.limits ?? {},
      })),
    )
    return {
      merchantId: merchant.id,
      token: issued.token,
      requisiteIds: requisites.length > 0 ? await addRequisites(tx, requisites) : [],
    }
  })
  const prefix = '/api/v1/merchant'
  const post: Shop['post'] = (path, body, headers = {}) =>
    send(service, prefix + path, {
      method: 'POST',
      headers: { ...json(opened.token), ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const get: Shop['get'] = (path, headers = {}) =>
    send(service, prefix + path, { headers: { ...json(opened.token), ...headers } })
  return {
    ...opened,
    get,
    post,
    patch: (path, body) =>
      send(service, prefix + path, { method: 'PATCH', headers: json(opened.token), body: JSON.stringify(body) }),
    remove: (path) =>
      send(service, prefix + path, { method: 'DELETE', headers: { authorization: `Bearer ${opened.token}` } }),
    create: (orderId, fields = {}) =>
      post('/payments', { type: 'direct', amount: 5000, orderId, currency: 'rub', method: 'sbp', ...fields }),
    simulate: async (orderId, body) => {
      const path = `/api/v1/sandbox/payments/byOrderId/${orderId}/simulate`
      const headers = { authorization: `Bearer ${opened.token}`, 'content-type': 'application/json' }
      const answer = await send(service, path, { method: 'POST', headers, body: JSON.stringify(body) })
      assert.equal(answer.status, 202, JSON.stringify(answer.body))
    },
    status: async (orderId) => (await get(`/payments/byOrderId/${encodeURIComponent(orderId)}/status`)).body.status,
  }
}

/** Reports a transfer of the bank through the operator's use case, like a feed. */
export const payIn = async (
  service: TestService,
  transfer: {
    readonly requisiteId: string
    readonly minor: bigint
    readonly bookedAt?: number
    readonly reference?: string
    readonly sender?: string
    readonly senderName?: string
    readonly senderBank?: string
    readonly channel?: string
  },
) => {
  const { recordTransfers } = await import('../../src/engine/transfers/record-transfers.ts')
  const [recorded] = await service.context.transaction((tx) =>
    recordTransfers(tx, [
      {
        requisiteId: transfer.requisiteId,
        currency: 'rub',
        amount: transfer.minor,
        bookedAt: transfer.bookedAt ?? service.clock.now,
        source: 'test',
        bankReference: transfer.reference ?? null,
        sender: transfer.sender ?? null,
        senderName: transfer.senderName ?? null,
        senderBank: transfer.senderBank ?? null,
        ...(transfer.channel === undefined ? {} : { channel: transfer.channel, referenceKind: transfer.channel }),
      },
    ]),
  )
  if (!recorded) throw new Error('nothing was recorded')
  return recorded
}
