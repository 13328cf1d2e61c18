// A day of a small business, for screenshots of the console.
import { hour, minute } from '../../src/rules/time.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { setBankIssuers } from '../../src/engine/requisites/bank-issuers.ts'
import { openDestination } from './destination.ts'
import { openOperator } from './operator.ts'
import { openFeed } from './push.ts'
import { oneOf, randomFrom } from './random.ts'
import type { TestService } from './service.ts'
import { newNumber, openShop, type Shop } from './shop.ts'
import { pngFile } from './disputes.ts'

const banks = [
  ['volga', 'Volga Bank'],
  ['north', 'North Bank'],
  ['meridian', 'Meridian'],
] as const
const accounts = ['Anna, salary card', 'Shop 1', 'Shop 2', 'Reserve', 'Evening', 'Night', 'Weekend', 'Partner'] as const
const payers = ['Мария К.', 'Oleg V.', 'Aziza R.', 'Иван П.', 'Darya S.', 'Тимур А.'] as const

type Waiting = { readonly requisiteId: string; readonly amount: number; readonly phone: string }

/** Banks, and eight accounts that all merchants share. */
const openAccounts = async (service: TestService): Promise<readonly string[]> =>
  service.context.transaction(async (tx) => {
    await setBankIssuers(
      tx,
      banks.map(([code, name]) => ({ code, name, country: 'RU', sbpMemberId: null })),
    )
    return addRequisites(
      tx,
      accounts.map((label, index) => ({
        ...{
          merchantId: null,
          mode: 'live' as const,
          method: 'sbp' as const,
          currency: 'rub',
          transferScope: null,
          label,
        },
        ...{ bankIssuer: oneOf(randomFrom(index), banks)[0], holder: 'Ivan Petrov', number: newNumber('sbp') },
        limits: { dayAmount: 400_000_00n, monthAmount: 5_000_000_00n },
      })),
    )
  })

/** The bank closes yesterday: its balances match the ledger, except for one account whose fee is not booked yet. */
const closeDay = async (service: TestService, requisiteIds: readonly string[]): Promise<void> => {
  const operator = openOperator(service)
  const day = new Date(service.clock.now - 21 * hour).toISOString().slice(0, 10)
  const close = (id: string, balance: number) =>
    operator.call('PUT', `/requisites/${id}/closing-balances/${day}`, { balance, currency: 'rub', source: 'statement' })
  for (const id of requisiteIds) await close(id, 0)
  const { days } = (await operator.get('/ledger/reconciliation')).body
  for (const { requisiteId, ledger } of days)
    await close(requisiteId, requisiteId === requisiteIds[2] ? ledger - 45 : ledger)
}

/** Fills an empty service with 26 hours of three merchants' business, up to the current time. */
export const fillConsole = async (service: TestService): Promise<readonly Shop[]> => {
  const random = randomFrom(11)
  const end = service.clock.now
  service.clock.now = end - 26 * hour
  const shops: Shop[] = []
  for (const name of ['Bookshop', 'Game Keys', 'Travel Club'])
    shops.push(await openShop(service, { name, perMethod: 0, terms: { feePpm: 18_000, feeFixedMicro: 0n } }))
  const requisiteIds = await openAccounts(service)
  const operator = openOperator(service)
  const feed = await openFeed(service, 'Volga Bank, by minute', requisiteIds)
  const waiting: Waiting[] = []
  let reference = 4_100
  const bring = async ({ requisiteId, phone }: Waiting, amount: number): Promise<void> => {
    const bookedAt = new Date(service.clock.now).toISOString()
    const sender = { sender: phone, senderName: oneOf(random, payers) }
    const bankReference = `B${++reference}`
    await feed([{ requisiteId, amount, currency: 'rub', bookedAt, bankReference, ...sender }])
  }
  for (let made = 0; made < 150; made++) {
    service.clock.now = end - 26 * hour + Math.floor((made / 150) * 26 * hour)
    const shop = shops[random(5) % 3] as Shop
    const amount = 900 + random(240) * 50 + (random(3) === 0 ? 0.37 : 0)
    const phone = `+79${String(161_000_000 + random(9_000_000))}`
    const fields = { amount, userId: `user-${random(60)}` }
    const { status, body } = await shop.create(`${2_400 + made}`, fields)
    if (status !== 201) throw new Error(JSON.stringify(body))
    const payment = { requisiteId: body.card.id, amount, phone }
    const fate = random(20)
    service.clock.advance(2 * minute)
    if (fate < 13) await bring(payment, amount)
    else if (fate < 15) await bring(payment, Math.max(100, amount - 300 - random(9) * 10))
    else if (fate < 16) waiting.push(payment)
    if (fate === 1) await bring(payment, 500 + random(30) * 10)
    // The merchant acknowledges all but the last payments.
    if (made < 140) await shop.post('/payments/byOrderId/ack', { orderId: String(2_400 + made) })
    if (made % 10 === 0) await service.runJobs()
  }
  service.clock.now = end
  await closeDay(service, requisiteIds)
  for (const late of waiting) await bring(late, late.amount)
  const [shop] = shops as [Shop]
  const expired = (await shop.get('/payments?status=expired&limit=5')).body.payments ?? []
  for (const { orderId, amount } of expired.slice(0, 4)) {
    const path = `/payments/byOrderId/${encodeURIComponent(orderId)}/dispute`
    await shop.post(path, { amount, note: 'The payer has sent a receipt' })
    await fetch(`${service.url}/api/v1/merchant${path}/evidence`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'image/png' },
      body: new Uint8Array(pngFile(orderId)),
    })
  }
  const { merchantId } = shop
  const destinationId = await openDestination(service, merchantId)
  await operator.call('POST', '/settlements', { merchantId, reference: 'W-47', amount: 120, destinationId })
  await service.runJobs('all')
  return shops
}
