// Revealing the numbers that are masked: who may, what the audit keeps of it, and how often.
import assert from 'node:assert/strict'
import { minute } from '../../src/rules/time.ts'
import type { Role } from '../../src/rules/members/access.ts'
import { collectPayer } from '../../src/engine/payments/payer-changes.ts'
import { enrolMember } from '../support/console.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { shareEngines } from '../support/shared-service.ts'
import type { TestService } from '../support/service.ts'
import { newNumber, openShop, payIn, type Shop } from '../support/shop.ts'

const tokenOf = (role: string): string => `payin_ops_test_token_of_the_${role}_0123456789abcdef`
const named = ['busy', 'calm'].map((name) => `${name}/operator:${tokenOf(name)}`)
const byRole = (['owner', 'operator', 'finance', 'support', 'auditor'] satisfies Role[]).map(
  (role) => `${role}-1/${role}:${tokenOf(role)}`,
)
const { onEngines, onOne } = shareEngines({
  PAYIN_TRUST_PROXY: '127.0.0.1',
  PAYIN_OPERATOR_TOKENS: [...named, ...byRole].join(),
})

const operatorOf = (service: TestService, name: string) =>
  openOperator({ ...service, operatorTokens: {}, operatorToken: tokenOf(name) })

const reason = 'The payer asks for a refund'

/** A paid payment with its requisite and transfer. */
const openPaid = async (service: TestService, shop: Shop, orderId: string, sender?: string) => {
  const { body } = await shop.create(orderId)
  const requisiteId: string = body.card.id
  const { id } = await payIn(service, { requisiteId, minor: 5000_00n, ...(sender === undefined ? {} : { sender }) })
  return {
    number: body.card.phone as string,
    requisite: `/requisites/${requisiteId}`,
    transfer: `/transfers/${requisiteId}/${id}`,
    payment: `/payments/${shop.merchantId}/${body.payment.id}`,
  }
}

const subjectOf = (path: string): string => path.slice(1).replace('s/', ':')

onEngines('200: a number is revealed for a reason, which the audit keeps without the number', async (service) => {
  const shop = await openShop(service)
  const operator = operatorOf(service, 'operator')
  const sender = '40817810099910004321'
  const paid = await openPaid(service, shop, 'reveal', sender)
  const staged = await shop.create('reveal-staged', { type: 'staged' })
  const phone = newNumber('sbp')
  await collectPayer(service.context, shop.merchantId, staged.body.payment.id, { phone, bankIssuer: null })
  const numbers = [paid.number, sender, phone]
  const revealed = [
    [paid.requisite, paid.number],
    [paid.transfer, sender],
    [paid.payment, sender],
    [`/payments/${shop.merchantId}/${staged.body.payment.id}`, phone],
  ] as const
  for (const [path, number] of revealed) {
    const answer = await operator.call('POST', `${path}/reveal`, { reason })
    assert.deepEqual([answer.status, answer.body], [200, { number }], path)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const entry = await operator.lastAudit()
    assert.deepEqual(
      [entry.actor, entry.action, entry.subject, entry.details],
      ['operator:operator-1', `${/\w+(?=s\/)/.exec(path)?.[0]}.reveal`, subjectOf(path), { reason }],
    )
  }
  const verified = await operator.get('/audit/verify')
  assert.equal(verified.body.isWhole, true)
  const shown = JSON.stringify([
    await operator.get('/audit?limit=500'),
    await operator.get('/requisites?limit=500'),
    await operator.get(paid.transfer),
    await operator.get(paid.payment),
  ])
  for (const number of numbers) {
    assert.ok(!shown.includes(number), 'it stays masked everywhere else')
    assert.ok(!service.logs.join('').includes(number), 'it is not logged')
  }
})

onOne('400: refuses to reveal without a reason, or with one that says nothing or too much', async (service) => {
  const shop = await openShop(service)
  const operator = operatorOf(service, 'owner')
  const { requisite, transfer, payment } = await openPaid(service, shop, 'reveal-why', '79265550102')
  const before = await operator.lastAudit()
  for (const path of [requisite, transfer, payment]) {
    for (const body of [{}, { reason: '' }, { reason: '   ' }, { reason: 'a\nb' }, { reason: 'x'.repeat(501) }])
      assertProblem(await operator.call('POST', `${path}/reveal`, body), 400, 'validation_failed', ['reason'])
  }
  assert.deepEqual(await operator.lastAudit(), before)
})

onOne('a number in the reason is masked in the audit', async (service) => {
  const shop = await openShop(service)
  const operator = operatorOf(service, 'finance')
  const { requisite, number } = await openPaid(service, shop, 'reveal-masked')
  const spoken = `8 (${number.slice(1, 4)}) ${number.slice(4, 7)}-${number.slice(7, 9)}-${number.slice(9)}`
  for (const [typed, kept] of [
    [`Is it ${number}?`, `Is it 7•••• ${number.slice(-4)}?`],
    [`Is it ${spoken}?`, `Is it 8 (•••• ${number.slice(-4)}?`],
  ]) {
    await operator.call('POST', `${requisite}/reveal`, { reason: typed })
    assert.deepEqual((await operator.lastAudit()).details, { reason: kept })
  }
})

onOne('404 and 409: what does not exist and what nobody has reported cannot be revealed', async (service) => {
  const shop = await openShop(service)
  const operator = operatorOf(service, 'owner')
  const { transfer, payment } = await openPaid(service, shop, 'reveal-unknown')
  const before = await operator.lastAudit()
  const reveal = (path: string) => operator.call('POST', `${path}/reveal`, { reason })
  assertProblem(await reveal(`/requisites/${unknownId}`), 404, 'resource_not_found')
  assertProblem(await reveal(`/transfers/${shop.requisiteIds[0]}/${unknownId}`), 404, 'resource_not_found')
  assertProblem(await reveal(`/payments/${shop.merchantId}/${unknownId}`), 404, 'payment_not_found')
  assertProblem(await reveal(transfer), 409, 'invalid_state')
  assertProblem(await reveal(payment), 409, 'invalid_state')
  assert.deepEqual(await operator.lastAudit(), before)
})

onOne(
  '403: roles that only read, or only help, cannot reveal; a console session needs a fresh code',
  async (service) => {
    const shop = await openShop(service)
    const { requisite, transfer, payment } = await openPaid(service, shop, 'reveal-roles', '79265550102')
    for (const path of [requisite, transfer, payment]) {
      for (const role of ['auditor', 'support'])
        assertProblem(await operatorOf(service, role).call('POST', `${path}/reveal`, { reason }), 403, 'role_missing')
    }
    const member = await enrolMember(service, { role: 'operator' })
    const reveal = () => member.operate(`${requisite}/reveal`, { reason })
    assert.equal((await reveal()).status, 200)
    service.clock.advance(16 * minute)
    assertProblem(await reveal(), 403, 'verification_required')
  },
)

onOne('429: an operator reveals 30 numbers in a quarter of an hour, and others are not held up', async (service) => {
  const shop = await openShop(service)
  const { requisite } = await openPaid(service, shop, 'reveal-often')
  const reveal = (name: string) => operatorOf(service, name).call('POST', `${requisite}/reveal`, { reason })
  const answers = await Promise.all(Array.from({ length: 34 }, () => reveal('busy')))
  assert.equal(answers.filter(({ status }) => status === 200).length, 30)
  const refused = await reveal('busy')
  assertProblem(refused, 429, 'rate_limited')
  assert.equal(refused.headers.get('retry-after'), '900')
  assert.equal((await reveal('calm')).status, 200)
  service.clock.advance(16 * minute)
  assert.equal((await reveal('busy')).status, 200)
})
