// The preview of a decision shows all that the decision does, up to the last status, and whether it can be revoked.
import assert from 'node:assert/strict'
import { hour, minute } from '../../src/rules/time.ts'
import { type Court, type Made, openCourt } from '../support/disputes.ts'
import { payinOf } from '../support/run-payin.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, payIn } from '../support/shop.ts'

const { onEngines, onOne } = shareEngines()

type Wanted = { readonly requisiteId: string; readonly id: string; readonly decision: string; readonly note?: string }

const decide = (court: Court, wanted: Wanted & object, more: object = {}): Promise<Answer> =>
  court.anna.call('POST', '/transfers/decide', { transfers: [wanted], ...more })

const suggestedFor = (body: Answer['body'], orderId: string) =>
  body.suggestions.find((each: { orderId: string }) => each.orderId === orderId)

/** A payment whose time to pay is over, and less than it needs, which was booked in time and waits in the inbox. */
const openLatePart = async (court: Court, orderId: string): Promise<{ payment: Made; wanted: Wanted }> => {
  const { service } = court
  const payment = await court.create(orderId, { amount: 5000 })
  service.clock.advance(minute)
  const bookedAt = service.clock.now
  service.clock.advance(hour)
  await service.runJobs()
  assert.equal(await court.shop.status(orderId), 'expired')
  const { requisiteId } = payment
  const { id, kind } = await payIn(service, { requisiteId, minor: 500_00n, bookedAt })
  assert.equal(kind, 'suspense')
  const shares = [{ merchantId: payment.merchantId, paymentId: payment.id }]
  return { payment, wanted: { requisiteId, id, decision: 'assign', ...{ shares } } }
}

onEngines(
  'money in time for an expired payment: the preview has its credit, fee and status, which follow at once',
  async (service) => {
    const court = await openCourt(service)
    const { payment, wanted } = await openLatePart(court, 'late-part')
    const path = `/transfers/${wanted.requisiteId}/${wanted.id}`
    const suggested = suggestedFor((await court.anna.get(path)).body, 'late-part')
    assert.deepEqual([suggested.amount, suggested.difference], [5000, -4500])
    assert.equal(suggested.evidence.amount.verdict, 'contradicts')
    const [previewed] = (await decide(court, wanted, { preview: true })).body.transfers
    assert.equal(previewed.state, 'possible')
    for (const { payments, revocable, whyIrrevocable, entries } of [suggested, previewed]) {
      const { before, after, finalAmount } = payments[0]
      assert.deepEqual([payments.length, before, after, finalAmount], [1, 'expired', 'disput-paid', 500])
      assert.deepEqual([revocable, /disput-paid.*correction/.test(whyIrrevocable)], [false, true], whyIrrevocable)
      const kinds = entries.map(({ kind }: { kind: string }) => kind)
      assert.deepEqual(kinds, ['reverse', 'receive', 'credit', 'credit', 'fee'])
    }
    assert.equal(await court.shop.status('late-part'), 'expired')

    const entriesBefore = (await court.entries(payment)).length
    const { body: decided } = await decide(court, wanted)
    // No job has run: what was previewed has happened with the decision.
    assert.equal(await court.shop.status('late-part'), 'disput-paid')
    const written = (await court.entries(payment)).slice(entriesBefore)
    assert.deepEqual(
      written.map(({ kind }) => kind),
      ['receive', 'credit', 'credit', 'fee'],
    )
    const revoked = await court.anna.call('POST', `/decisions/${decided.id}/revoke`, { reason: 'x' })
    assert.equal(revoked.body.transfers[0].message, previewed.whyIrrevocable)
    await service.runJobs()
    assert.equal((await court.entries(payment)).length, entriesBefore + written.length)
  },
)

onEngines('money that leaves its payment waiting can be taken back, as the preview says', async (service) => {
  const court = await openCourt(service)
  const payment = await court.create('in-time', { amount: 5000 })
  const { requisiteId } = payment
  const { id } = await payIn(service, { requisiteId, minor: 500_00n })
  const shares = [{ merchantId: payment.merchantId, paymentId: payment.id }]
  const part = { requisiteId, id, decision: 'assign', shares }
  const [previewed] = (await decide(court, part, { preview: true })).body.transfers
  assert.deepEqual(
    [previewed.payments[0].before, previewed.payments[0].after, previewed.revocable, previewed.whyIrrevocable],
    ['new', 'processing', true, undefined],
  )
  const ignored = { requisiteId, id, decision: 'ignore', note: 'ours' }
  const [aside] = (await decide(court, ignored, { preview: true })).body.transfers
  assert.deepEqual([aside.payments, aside.revocable], [[], true])
  const { body: decided } = await decide(court, part)
  const revoked = await court.anna.call('POST', `/decisions/${decided.id}/revoke`, { reason: 'x' })
  assert.equal(revoked.body.transfers[0].state, 'revoked')
  assert.equal((await court.inbox()).length, 1)
})

onOne('a suggestion is not followed if its payment has been paid since', async (service) => {
  const court = await openCourt(service, { terms: { mismatchBoundPpm: 100_000 } })
  const { requisiteId } = await court.create('paid-since', { amount: 5000 })
  const sent = [
    await payIn(service, { requisiteId, minor: 7000_00n }),
    await payIn(service, { requisiteId, minor: 7001_00n }),
  ]
  const accept = async (index: number, fields: object = {}) => {
    const { body } = await decide(court, { requisiteId, id: sent[index]?.id ?? '', decision: 'accept' }, fields)
    return body.transfers[0]
  }
  service.clock.advance(minute)
  assert.equal((await accept(0)).state, 'done')
  assert.equal(await court.shop.status('paid-since'), 'disput-paid')
  for (const refused of [await accept(1, { preview: true }), await accept(1)]) {
    assert.deepEqual([refused.state, refused.code], ['refused', 'invalid_state'])
    assert.match(refused.message, /^paid-since was suggested and has been paid since: assign/)
  }
  assert.equal((await court.inbox()).length, 1)
})

onOne('the command that shows a transfer says what taking it does, and that it cannot be undone', async (service) => {
  const court = await openCourt(service)
  const { wanted } = await openLatePart(court, 'late-cli')
  const shown = (await payinOf(service)(['transfers', 'show', wanted.id, '--wide'])).out
  assert.match(shown, /MAY BE FOR +AMOUNT +DIFFERENCE +EVIDENCE/)
  assert.match(shown, /late-cli +5000\.00 rub +-4500\.00 rub +amount contradicts \(4500\.00 less .*\)/)
  assert.match(
    shown,
    /Payments +late-cli expired → disput-paid with 500\.00 rub\nRevocable +No\. late-cli is disput-paid/,
  )
  // Nothing is offered that something contradicts.
  assert.doesNotMatch(shown, /payin transfers accept/)
})

onOne('of two payments the nearer one is first, and what cannot be compared contradicts neither', async (service) => {
  const court = await openCourt(service, { perMethod: 1 })
  await court.create('far', { amount: 26_342.51 })
  const { requisiteId } = await court.create('near', { amount: 26_158.84 })
  const { id } = await payIn(service, { requisiteId, minor: 26_158_82n, senderName: 'Иван П.' })
  const { suggestions } = (await court.anna.get(`/transfers/${requisiteId}/${id}`)).body
  type Shown = { orderId: string; difference: number; evidence: Record<string, { verdict: string }> }
  const shown = suggestions.map(({ orderId, difference, evidence }: Shown) => [
    orderId,
    difference,
    ...['amount', 'number', 'name'].map((criterion) => evidence[criterion]?.verdict),
  ])
  assert.deepEqual(shown, [
    ['near', -0.02, 'unknown', 'unknown', 'unknown'],
    ['far', -183.69, 'unknown', 'unknown', 'unknown'],
  ])
  const { out } = await payinOf(service)(['transfers', 'show', id, '--wide'])
  assert.match(out, /\nnear +26158\.84 rub +-0\.02 rub[^]*payin transfers accept \S+ \(for near\)/)
})
