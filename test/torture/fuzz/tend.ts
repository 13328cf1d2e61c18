// What the fuzzer needs to go on, and may have taken from itself: its token, its feed, rates, limits, requisites.
import assert from 'node:assert/strict'
import { openOperator, setAgreedRate } from '../../support/operator.ts'
import { errorsLogged } from '../../support/shared-service.ts'
import type { TestService } from '../../support/service.ts'
import { newNumber, openShop, send, type Shop } from '../../support/shop.ts'
import { scopes } from '../../../src/rules/members/access.ts'
import type { Known } from './known.ts'

/** The fuzzer's credentials, renewed by `tend`. */
export type Credentials = { merchantId: string; token: string; feedId: string; feedKey: string }

/** Opens the merchant that the fuzzer is. */
export const openCredentials = async (service: TestService, known: Known): Promise<Credentials> => {
  const shop: Shop = await openShop(service, { mode: 'sandbox', perMethod: 20 })
  known.add('merchants', { id: shop.merchantId })
  return { merchantId: shop.merchantId, token: shop.token, feedId: '', feedKey: '' }
}

const requisitesOf = (merchantId: string): object[] =>
  (['sbp', 'card-to-card', 'account-to-account'] as const).map((method) => ({
    merchantId,
    mode: 'sandbox',
    method,
    currency: 'rub',
    bankIssuer: 'bank-a',
    holder: 'Ivan Petrov',
    number: newNumber(method),
  }))

/** Renews what the fuzzer needs, lets time pass and jobs run; fails when the service has logged an error. */
export const tend = async (
  service: TestService,
  credentials: Credentials,
  known: Known,
  advanceMs: number,
): Promise<void> => {
  const operator = openOperator(service)
  const { merchantId } = credentials
  const must = async (...call: Parameters<typeof operator.call>) => {
    const answer = await operator.call(...call)
    assert.ok(answer.status < 300, `${call[0]} ${call[1]}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  service.clock.advance(advanceMs)
  const ends: [list: string, path: string][] = [
    ['blocks', '/risk/blocks'],
    ['rules', '/risk/rules'],
  ]
  for (const [list, path] of ends) {
    const found = (await operator.get(`${path}${list === 'blocks' ? '?limit=500' : ''}`)).body[list] ?? []
    for (const { id } of found) await operator.call('POST', `${path}/${id}/end`, { reason: 'over' })
  }
  await must('PATCH', `/merchants/${merchantId}`, { status: 'active', settings: { maxOpenPayments: null } })
  const bearer = { authorization: `Bearer ${credentials.token}` }
  if ((await send(service, '/api/v1/merchant/payments/currencies', { headers: bearer })).status !== 200) {
    credentials.token = (await must('POST', `/merchants/${merchantId}/tokens`, { name: 'fuzzer', scopes })).token
  }
  await must('PUT', '/bank-issuers', {
    bankIssuers: [
      { code: 'bank-a', name: 'Bank A', country: 'RU' },
      { code: 'bank-b', name: 'Bank B', country: 'RU' },
    ],
  })
  await must('PUT', '/limits/rub', { min: 100, max: 300_000 })
  await must('PUT', '/limits/rub', { merchantId, min: 100, max: 300_000 })
  await setAgreedRate(service, 'rub', 92.5)
  known.learn('requisites', await must('POST', '/requisites', { requisites: requisitesOf(merchantId) }))
  if (credentials.feedId === '') {
    const requisiteIds = (await operator.get('/requisites?limit=100')).body.requisites.map(
      (each: { id: string }) => each.id,
    )
    credentials.feedId = (
      await must('POST', '/statement-sources', { name: 'fuzzer', requisiteIds: requisiteIds.slice(0, 20) })
    ).id
  }
  credentials.feedKey = (await must('POST', `/statement-sources/${credentials.feedId}/key`)).key
  await service.runJobs()
  assert.deepEqual(errorsLogged(service), [])
  service.logs.length = 0
}
