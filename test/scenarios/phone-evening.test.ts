// A day of an account for transfers by phone number and of a card: each payment is paid by its message, and the files of
// the evening prove the same money without a question, in each format of a bank.
import assert from 'node:assert/strict'
import { day, hour } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { creditOf, openPhone } from '../support/phones.ts'
import { assertHealthy } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { camtOf, csvOf, exchangeOf } from '../support/statement-files.ts'

const { onEngines } = shareEngines()
const formats = { 'camt.053': camtOf, '1C': exchangeOf, CSV: csvOf } as const

onEngines(
  'messages pay transfers by phone number and by card, and camt.053, 1C and CSV prove them',
  async (service) => {
    const bank = await openBank(service)
    const { shop, requisiteId: sbp, operator } = bank
    const first = await shop.create('card waits', { amount: 99_997, method: 'card-to-card' })
    const card: string = first.body.card.id
    const cardAccount = `4081781000000${String(service.clock.now).slice(-7)}`
    await operator.call('PUT', '/statement-accounts', { accounts: [{ number: cardAccount, requisiteIds: [card] }] })
    const phone = await openPhone(service, [sbp, card], { digits: ['4071'] })
    await operator.call('PUT', `/phones/${phone.id}/accounts`, { requisiteId: card, digits: ['5522'] })
    const balances = { sbp: 10_000, card: 50_000 }
    for (const [index, [format, render]] of Object.entries(formats).entries()) {
      const morning = Math.ceil((service.clock.now + 16 * hour) / day) * day + 9 * hour
      service.clock.advance(morning - service.clock.now)
      const amounts = { sbp: 2745 + index * 100, card: 1830 + index * 100 }
      for (const [way, method] of [
        ['sbp', 'sbp'],
        ['card', 'card-to-card'],
      ] as const) {
        const orderId = `${way} ${format}`
        const created = await shop.create(orderId, { amount: amounts[way], method })
        assert.equal(created.status, 201, JSON.stringify(created.body))
        balances[way] += amounts[way]
        await phone.sms(creditOf(service, amounts[way], balances[way], { digits: way === 'sbp' ? '4071' : '5522' }))
        assert.equal(await shop.status(orderId), 'paid', orderId)
      }
      const date = new Date(service.clock.now).toISOString().slice(0, 10)
      const rowOf = (amount: number) => [
        { minor: BigInt(amount) * 100n, date, reference: `EVENING-${format}-${amount}` },
      ]
      const files = [
        await bank.bringAgreed(render, rowOf(amounts.sbp)),
        await bank.bringAgreed(render, rowOf(amounts.card), { account: cardAccount }, { requisiteId: card }),
      ]
      for (const { counts, state } of files)
        assert.deepEqual(
          [state, counts.new, counts.possibleDuplicates, counts.duplicates],
          ['imported', 0, 0, 1],
          format,
        )
    }
    const { transfers } = (await operator.get('/transfers?unmatched=true')).body
    assert.deepEqual(transfers, [])
    const paid = [0, 1, 2].map((index) => index * 100)
    const sumOf = (amount: number) => paid.reduce((sum, more) => sum + amount + more, 0)
    assert.deepEqual(
      [await bank.balanceOf(`bank:${sbp}`), await bank.balanceOf(`bank:${card}`)],
      [sumOf(2745), sumOf(1830)],
    )
    await service.runJobs()
    await assertHealthy(service)
  },
)
