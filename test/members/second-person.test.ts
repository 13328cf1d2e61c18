// Decisions of two people: who counts as the second one, and what the audit keeps about them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { query, text, uuid } from 'payin-database'
import { withAccountKey } from '../../src/rules/money/bank-details.ts'
import { day } from '../../src/rules/time.ts'
import { hasTwoPeople, moneyDuties, refuseOnePerson } from '../../src/engine/members/refuse-one-person.ts'
import { refuseTokensOfAccounts } from '../../src/engine/members/invite-member.ts'
import { enrolMember, type Enrolled, growOlder, memberPassword } from '../support/console.ts'
import { openDestination } from '../support/destination.ts'
import { openCourt } from '../support/disputes.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn } from '../support/shop.ts'
import { csvOf, uploadFile } from '../support/statement-files.ts'

const environment = { PUBLIC_URL: 'http://payin.test', PAYIN_TRUST_PROXY: '127.0.0.1', PAYIN_SECOND_PERSON_ABOVE: '0' }
const { onEngines, onOne } = shareEngines(environment)

const findAccount = query('test_find_account', {
  parameters: { name: text },
  row: { id: uuid },
  text: `select id from members where name = :name`,
})

const enrolOwner = async (service: TestService, { isYoung = false, by }: { isYoung?: boolean; by?: Enrolled } = {}) => {
  const member = await enrolMember(service, { role: 'owner' }, undefined, by)
  if (!isYoung) await growOlder(service, member.name)
  return member
}

/**
 * What drafts a settlement for an owner, an adjustment and a destination; returns the paths that approve and post them.
 */
const openDrafts = async (service: TestService) => {
  const shop = await openShop(service)
  const { body } = await shop.create('earned', { amount: 5000 })
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  const destinationId = await openDestination(service, shop.merchantId)
  let count = 0
  return async (author: Enrolled): Promise<readonly string[]> => {
    const shared = { merchantId: shop.merchantId, reference: `by-${author.name}-${++count}`, amount: 1 }
    const settlement = await author.operate('/settlements', { ...shared, destinationId })
    const accounts = { debitAccount: 'fees', creditAccount: 'merchant:available', currency: 'USDT', reason: 'a favour' }
    const adjustment = await author.operate('/ledger/adjustments', { ...shared, ...accounts })
    const number = withAccountKey(`40702810000000000${String(count).padStart(3, '0')}`, '044525225')
    const account = { kind: 'ru-account', address: `${number}/044525225`, label: shared.reference }
    const destination = await author.operate('/destinations', { merchantId: shop.merchantId, ...account })
    const made = [settlement, adjustment, destination]
    assert.deepEqual(
      made.map(({ status }) => status),
      [201, 200, 201],
      JSON.stringify(made),
    )
    return [
      `/settlements/${shop.merchantId}/${settlement.body.id}/approve`,
      `/ledger/adjustments/${shop.merchantId}/${adjustment.body.id}/post`,
      `/destinations/${shop.merchantId}/${destination.body.id}/approve`,
    ]
  }
}

type Second = (path: string) => Promise<Answer>
const inConsole =
  (member: Enrolled): Second =>
  (path) =>
    member.operate(path, undefined, 'POST')

const assertRefused = async (paths: readonly string[], second: Second, doubt: RegExp): Promise<void> => {
  for (const path of paths) {
    const answer = await second(path)
    assertProblem(answer, 403, 'second_person_required')
    assert.match(answer.body.detail, doubt)
  }
}

onEngines('one person with two accounts, or with an account and a token, is not two people', async (service) => {
  const author = await enrolOwner(service)
  const draft = await openDrafts(service)
  const paths = await draft(author)
  await assertRefused(paths, inConsole(author), /./)
  const puppet = await enrolOwner(service, { by: author })
  await assertRefused(paths, inConsole(puppet), new RegExp(`${author.name} has invited ${puppet.name}`))
  // The other way round, the puppet's drafts are its maker's.
  await assertRefused(await draft(puppet), inConsole(author), /has invited/)
  const young = await enrolOwner(service, { isYoung: true })
  await assertRefused(paths, inConsole(young), new RegExp(`${young.name} is too new`))
  await assertRefused(await draft(young), inConsole(author), /too new/)
  const token = openOperator(service, 'boris')
  await assertRefused(paths, (path) => token.call('POST', path), /an account of the console, the other a token/)

  const third = await enrolOwner(service)
  for (const path of paths) assert.equal((await inConsole(third)(path)).status, 200)
  const more = await draft(third)
  // A puppet's puppet is a puppet.
  await growOlder(service, puppet.name)
  const further = await enrolOwner(service, { by: puppet })
  await assertRefused(await draft(author), inConsole(further), new RegExp(`${author.name} has invited ${further.name}`))
  // Whoever resets an account can sign in as its owner.
  const reset = await author.operate(`/members/${third.name}/remove-second-factor`, undefined, 'POST')
  assert.equal(reset.status, 200)
  await assertRefused(more, inConsole(author), new RegExp(`${author.name} has invited ${third.name}, or reset`))
})

onOne('who may be no second person blocks no two others who give a settlement up', async (service) => {
  const [author, second, third] = [await enrolOwner(service), await enrolOwner(service), await enrolOwner(service)]
  const young = await enrolOwner(service, { isYoung: true })
  const [path = ''] = await (await openDrafts(service))(author)
  assert.equal((await second.operate(path, undefined, 'POST')).status, 200)
  const fail = async (by: Enrolled) => {
    const { body } = await by.operate(path.replace('/approve', '/fail'), { reason: 'wrong' })
    return [body.status, body.failingBy]
  }
  assert.deepEqual(await fail(young), ['approved', `operator:${young.name}`])
  assert.deepEqual(await fail(second), ['approved', `operator:${second.name}`])
  assert.deepEqual((await fail(third))[0], 'failed')
})

onEngines(
  'an account that was just reset is no second person for anybody, and decides nothing alone',
  async (service) => {
    const [author, second] = [await enrolOwner(service), await enrolOwner(service)]
    const draft = await openDrafts(service)
    const operator = openOperator(service)
    const reset = {
      'second factor': () => operator.call('POST', `/members/${second.name}/remove-second-factor`),
      password: async () => {
        const { body } = await operator.call('POST', `/members/${second.name}/password-link`)
        const token = body.link.slice(body.link.indexOf('#') + 1)
        return second.call('/invitations/accept', { token, password: memberPassword })
      },
    }
    for (const [what, run] of Object.entries(reset)) {
      const paths = await draft(author)
      assert.equal((await run()).status, 200, what)
      // Each time by the same operator: the time counts, whoever has vouched before.
      await assert.rejects(
        service.context.transaction((tx) =>
          refuseOnePerson(service.context, tx, `operator:${author.name}`, `operator:${second.name}`),
        ),
        { code: 'second_person_required', message: new RegExp(`${second.name} is too new, or was reset too lately`) },
      )
      const mayTwo = await service.context.transaction((tx) => hasTwoPeople(service.context, tx, moneyDuties))
      assert.equal(mayTwo, true, 'nobody becomes the only one by resetting the others')
      await growOlder(service, second.name)
      const third = await enrolOwner(service)
      for (const path of paths) assert.equal((await inConsole(third)(path)).status, 200)
      await service.context.transaction((tx) =>
        refuseOnePerson(service.context, tx, `operator:${author.name}`, `operator:${second.name}`),
      )
    }
  },
)

test('two people may decide once two accounts are old enough, and for a week after one is disabled', async (t) => {
  const only = { PAYIN_OPERATOR_TOKENS: `vera/auditor:${'va1ueOfVera'.repeat(3)}` }
  const service = await openTestService(usualEngine(), { ...environment, ...only })
  t.after(() => service.stop())
  const { context } = service
  const mayTwo = () => context.transaction((tx) => hasTwoPeople(context, tx, moneyDuties))
  const first = await enrolOwner(service)
  assert.equal(await mayTwo(), false)
  await enrolMember(service, { role: 'support' }, undefined, first)
  const second = await enrolOwner(service, { isYoung: true })
  assert.equal(await mayTwo(), false)
  await growOlder(service, second.name)
  assert.equal(await mayTwo(), true)
  const disabled = await first.operate(`/members/${second.name}`, { isDisabled: true }, 'PATCH')
  assert.equal(disabled.status, 200, JSON.stringify(disabled.body))
  assert.equal(await mayTwo(), true)
  service.clock.advance(8 * day)
  assert.equal(await mayTwo(), false)
  // Whom a clock that was a year ahead has dated is no new account.
  service.clock.advance(400 * day)
  const third = await enrolOwner(service, { isYoung: true })
  service.clock.advance(-400 * day)
  assert.equal(await mayTwo(), true)
  await context.transaction((tx) => refuseOnePerson(context, tx, `operator:${first.name}`, `operator:${third.name}`))
})

test('a finance person and an operator are two people who lower an opening balance', async (t) => {
  const only = { PAYIN_OPERATOR_TOKENS: `vera/auditor:${'va1ueOfVera'.repeat(3)}` }
  const service = await openTestService(usualEngine(), { ...environment, ...only })
  t.after(() => service.stop())
  const { requisiteIds } = await openShop(service, { perMethod: 1 })
  const [anna, boris] = [
    await enrolMember(service, { role: 'finance' }),
    await enrolMember(service, { role: 'operator' }),
  ]
  const lower = async (by: Enrolled): Promise<boolean> => {
    const today = new Date(service.clock.now).toISOString().slice(0, 10)
    const balances = [{ requisiteId: requisiteIds[0], day: today, balance: -500, currency: 'rub' }]
    const wanted = { balances, reason: 'an overdraft' }
    const { status, body } = await by.operate('/ledger/opening-balances', wanted, 'PUT')
    assert.equal(status, 200, JSON.stringify(body))
    return body.balances[0].proposed ?? false
  }
  await growOlder(service, anna.name, boris.name)
  assert.deepEqual([await lower(anna), await lower(anna), await lower(boris)], [true, true, false])
})

onEngines('nobody confirms a correction of money for oneself', async (service) => {
  const court = await openCourt(service)
  const [author, third] = [await enrolOwner(service), await enrolOwner(service)]
  const { merchantId, id } = await court.create('corrected')
  await court.expire()
  const { body } = await author.operate(`/payments/${merchantId}/${id}/disputes`, { amount: 5000, note: 'it came' })
  const one = `/disputes/${merchantId}/${body.id}`
  const proposed = await author.operate(`${one}/decision`, { decision: 'accept', note: 'seen' })
  assert.equal(proposed.status, 200, JSON.stringify(proposed.body))
  const alone = await court.step('confirm', body.id, { amount: 5000 }, court.boris)
  assertProblem(alone, 403, 'second_person_required')
  assert.equal(await court.shop.status('corrected'), 'disput')
  assert.equal((await third.operate(`${one}/confirm`, { amount: 5000 })).status, 200)
  assert.equal(await court.shop.status('corrected'), 'disput-paid')
})

onEngines(
  'the audit keeps the account and its session, or the token; nobody takes a name of the other or of the service',
  async (service) => {
    const author = await enrolOwner(service)
    await author.operate('/members/invitations', { name: 'nobody', email: 'nobody@example.com', role: 'support' })
    const boris = openOperator(service, 'boris')
    const [account] = await service.context.query(findAccount, { name: author.name })
    const entry = await boris.lastAudit()
    assert.equal(entry.action, 'member.invite')
    assert.equal(entry.credential, `account:${account?.id}`)
    assert.match(entry.sessionId ?? '', /^[0-9a-f-]{36}$/)
    await boris.call('DELETE', '/members/invitations/nobody')
    assert.match((await boris.lastAudit()).credential ?? '', /^token:[0-9a-f]{16}$/)
    assert.equal((await boris.get('/audit/verify')).body.isWhole, true)
    for (const name of ['boris', 'vera', 'operator', 'service', 'bank', 'merchant', 'simulated-second'])
      assertProblem(
        await author.operate('/members/invitations', { name, email: 'x@example.com', role: 'owner' }),
        409,
        'already_exists',
      )
  },
)

onOne('a start refuses a token with the name of an account', async (service) => {
  const { name } = await enrolOwner(service)
  const operators = [{ name, role: 'owner', tokenHash: 'x' }] as const
  await assert.rejects(refuseTokensOfAccounts({ ...service.context, operators }), {
    message: new RegExp(`gives a token to ${name}.*such as ${name}-cli\\.$`),
  })
  await refuseTokensOfAccounts(service.context)
})

onOne('a file that two may import says why the two are not certainly two', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('in-a-file', { amount: 5000 })
  const date = new Date(service.clock.now).toISOString().slice(0, 10)
  const file = csvOf({ account: '40702810900000000001', rows: [{ minor: 5000_00n, date }] })
  const { body: read } = await uploadFile(service, file, { requisiteId: body.card.id })
  const owner = await enrolOwner(service)
  const refused = await owner.operate(`/statements/${read.id}/confirm`, undefined, 'POST')
  assertProblem(refused, 403, 'second_person_required')
  assert.match(refused.body.detail, /: another operator .* of operator and .* one is an account of the console/)
})
