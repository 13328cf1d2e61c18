// One dishonest operator, Anna, says that a payer got outgoing money back: by names that she chose, or as a payer herself.
// The bound of one person is 100 USDT within a day; 1 USDT is 92.5 roubles.
import assert from 'node:assert/strict'
import { hour } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { enrolMember } from '../support/console.ts'
import { openOperator } from '../support/operator.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { payIn } from '../support/shop.ts'
import { type MadeRow, mt940Of } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines({
  PAYIN_SECOND_PERSON_ABOVE: '100',
  PAYIN_LONE_REPORTS_ABOVE: '100',
  PAYIN_TRUST_PROXY: '127.0.0.1',
})

const pyotr = { sender: '40817810000000001111', senderName: 'PYOTR PAYER' }
const cash = { payer: '', text: 'ATM CASH MOSCOW TVERSKAYA' }

type Payer = { readonly sender: string; readonly senderName?: string }

/** A payer who paid an order twice. */
const open = async (
  service: TestService,
  { amount = 50_000, payer = pyotr }: { amount?: number; payer?: Payer } = {},
) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const { requisiteId, shop } = bank
  const { merchantId } = shop
  const pay = async (minor: bigint, reference: string, from: Payer = payer) =>
    (await payIn(service, { requisiteId, minor, reference: `${reference} ${bank.account}`, ...from })).id
  const { body } = await shop.create('twice-4711', { amount })
  await pay(BigInt(amount) * 100n, 'A')
  const again = await pay(BigInt(amount) * 100n, 'B')
  const sent = async () => (await anna.get(`/outgoing?requisiteId=${requisiteId}&limit=1`)).body.outgoing[0]
  const overpaid = { merchantId, paymentId: body.payment.id as string }
  return {
    ...{ bank, anna, boris, requisiteId, merchantId, pay, again, sent, overpaid },
    /** The bank's own file, which two people confirm. */
    leave: async (minor: bigint, row: Partial<MadeRow>) => {
      await bank.bringAgreed(mt940Of, [{ minor: -minor, ...row }])
    },
    refund: async (by: typeof anna, reference: string, more: object = {}, paymentId = overpaid.paymentId) => {
      const path = `/overpayments/${merchantId}/${paymentId}/decisions`
      const wish = { reference, decision: 'refund', requisiteId, reason: 'paid twice', ...more }
      const { status, body: decided } = await by.call('POST', path, wish)
      assert.equal(status, 200, JSON.stringify(decided))
      return decided.id as string
    },
    confirm: async (by: typeof anna, money: object) => {
      const { id } = await sent()
      const { status, body: confirmed } = await by.call('POST', `/outgoing/${requisiteId}/${id}/confirm`, money)
      assert.equal(status, 200, JSON.stringify(confirmed))
      return [confirmed.state, confirmed.decidedBy ?? confirmed.proposedBy]
    },
    assign: async (id: string, paymentId: string) => {
      const shares = [{ merchantId, paymentId }]
      const { status, body: assigned } = await anna.call('POST', `/transfers/${requisiteId}/${id}/assign`, { shares })
      assert.equal(status, 200, JSON.stringify(assigned))
    },
    state: async () => {
      const { state, decidedBy } = await sent()
      return [state, decidedBy]
    },
  }
}

const unexplained = ['unexplained', undefined]

for (const { title, payer, row } of [
  { title: 'cash that was withdrawn', payer: pyotr, row: cash },
  {
    title: 'money to a stranger, where the bank gives only the phone of the payer',
    payer: { sender: '+79161234567' },
    row: { payer: 'TERENTY THIEF', payerAccount: '40817810099910004312', text: 'CONSULTING TVERSKAYA' },
  },
])
  onOne(`the reference that one person gives to a refund proves nothing of ${title}`, async (service) => {
    const { anna, boris, leave, refund, state, confirm } = await open(service, { payer })
    await leave(50_000_00n, row)
    assert.deepEqual(await state(), unexplained)
    const documentId = await refund(anna, 'tverskaya')
    assert.deepEqual(await state(), unexplained)
    assert.deepEqual(await confirm(anna, { documentId }), ['unexplained', 'operator:anna'])
    assert.equal((await confirm(boris, { documentId }))[0], 'booked')
  })

onOne('a reference proves nothing to who may be the person that gave it', async (service) => {
  const { anna, leave, refund, state, sent, requisiteId } = await open(service)
  const member = await enrolMember(service, { role: 'operator' })
  const documentId = await refund(anna, 'tverskaya')
  await leave(50_000_00n, cash)
  assert.deepEqual(await state(), unexplained)
  // An account of the console and a token may be one person's.
  const { id } = await sent()
  const { status, body } = await member.operate(`/outgoing/${requisiteId}/${id}/confirm`, { documentId })
  assert.deepEqual([status, body.state], [200, 'unexplained'])
})

onOne('a refund is booked by its reference up to the bound of who recorded it', async (service) => {
  const { bank, anna, boris, leave, refund, state, confirm, overpaid, pay } = await open(service, { amount: 5000 })
  for (const minor of [5001_00n, 5002_00n]) await bank.shop.create(`more ${minor}`, { amount: Number(minor / 100n) })
  await refund(anna, 'tverskaya', { amount: 5000 })
  await leave(5000_00n, cash)
  assert.deepEqual(await state(), ['booked', 'service'])
  // With that it is more than the bound, whether or not she recorded it before the money left.
  await pay(6000_00n, 'C')
  const [waiting] = await bank.inbox()
  assert.equal((await bank.decide(waiting?.id ?? '', 'assign', { shares: [overpaid] })).status, 200)
  const documentId = await refund(anna, 'moscow')
  await leave(6000_00n, { ...cash, text: 'ATM MOSCOW ARBAT' })
  assert.deepEqual(await state(), unexplained)
  assert.deepEqual(await confirm(boris, { documentId }), ['booked', 'operator:boris'])
  await assertHealthy(service)
})

onOne('an order proves nothing, because somebody chose it, and the id of the payment does', async (service) => {
  const { bank, anna, boris, requisiteId, pay, again, leave, refund, state, assign } = await open(service)
  const { body } = await bank.shop.create('tverskaya', { amount: 100 })
  await leave(50_000_00n, cash)
  await pay(100_00n, 'C', { sender: '+79990000001' })
  const path = `/transfers/${requisiteId}/${again}`
  assert.equal((await anna.call('POST', `${path}/unassign`, { reason: 'x' })).status, 200)
  await assign(again, body.payment.id)
  await refund(anna, 'r1', { amount: 50_000 }, body.payment.id)
  assert.deepEqual(await state(), unexplained)

  const honest = await open(service)
  await honest.leave(50_000_00n, { payer: '', text: 'return of twice-4711' })
  assert.deepEqual(await honest.confirm(anna, honest.overpaid), ['unexplained', 'operator:anna'])
  assert.equal((await honest.confirm(boris, honest.overpaid))[0], 'booked')
  const named = await open(service)
  await named.leave(50_000_00n, { payer: '', text: `return of ${named.overpaid.paymentId}` })
  assert.deepEqual(await named.confirm(anna, named.overpaid), ['booked', 'operator:anna'])
})

onOne('the bank reference of a rouble that one person types in proves nothing of cash', async (service) => {
  const { anna, requisiteId, leave, assign, overpaid, confirm } = await open(service)
  await leave(50_000_00n, cash)
  const bookedAt = new Date(service.clock.now).toISOString()
  const rouble = { requisiteId, amount: 1, currency: 'rub', bookedAt, bankReference: 'TVERSKAYA' }
  const typed = (await anna.call('POST', '/transfers', { transfers: [rouble] })).body.transfers[0]
  await assign(typed.id, overpaid.paymentId)
  assert.deepEqual(await confirm(anna, overpaid), ['unexplained', 'operator:anna'])
})

const thief = { sender: '40817810099910004312', senderName: 'TERENTY THIEF' }
const toThief = { payerAccount: thief.sender, payer: thief.senderName, text: 'consulting' }

onEngines('who sends more to a payment than its payer gets back no more than that', async (service) => {
  const { anna, pay, assign, overpaid, leave, confirm } = await open(service)
  // Real money, which she assigns to the same payment.
  await assign(await pay(100_001_00n, 'C', thief), overpaid.paymentId)
  // All at once, what is hers and then the rest, and both recorded before they leave.
  await leave(150_001_00n, toThief)
  assert.deepEqual(await confirm(anna, overpaid), ['unexplained', 'operator:anna'])
  await leave(100_001_00n, toThief)
  assert.deepEqual(await confirm(anna, overpaid), ['booked', 'operator:anna'])
  await leave(50_000_00n, toThief)
  assert.deepEqual(await confirm(anna, overpaid), ['unexplained', 'operator:anna'])
  const both = await open(service)
  await both.assign(await both.pay(100_001_00n, 'C', thief), both.overpaid.paymentId)
  for (const amount of [100_001, 50_000]) await both.refund(both.anna, `back ${amount}`, { amount })
  const rows = [100_001_00n, 50_000_00n].map((minor) => ({ minor: -minor, ...toThief }))
  await both.bank.bringAgreed(mt940Of, rows)
  const { outgoing } = (await anna.get(`/outgoing?requisiteId=${both.requisiteId}`)).body
  assert.deepEqual(
    outgoing.map(({ amount, state: each }: { amount: number; state: string }) => [amount, each]).toSorted(),
    [
      [100_001, 'booked'],
      [50_000, 'unexplained'],
    ],
  )
  await assertHealthy(service)
})
