// Decisions about many transfers at once.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { day, minute } from '../../src/rules/time.ts'
import { forgetDecisions } from '../../src/engine/decisions/record-decision.ts'
import { openBank } from '../support/bank.ts'
import { openDestination } from '../support/destination.ts'
import { unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { payinOf } from '../support/run-payin.ts'
import { onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { send } from '../support/shop.ts'
import { camtOf } from '../support/statement-files.ts'

const opened = shareService()

type Result = { id: string; state: string; code?: string; decision: string; entries?: { kind: string }[] }

/** Sends decisions, with a key of the request where there is one. */
const decide = (service: TestService, body: object, key?: string) =>
  send(service, '/api/v1/operator/transfers/decide', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.operatorToken}`,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  })

const statesOf = (transfers: readonly Result[]) => transfers.map(({ state, code }) => code ?? state)

const cli = (service: TestService) => async (words: readonly string[], columns?: number) => {
  const { code, out, error } = await payinOf(service)(words, columns === undefined ? {} : { columns })
  return { code, out: out + error }
}

onOneEngine('200 decisions are one file and one command, which shows first what it would do', async (service) => {
  const bank = await openBank(service)
  const payin = cli(service)
  const folder = mkdtempSync(join(tmpdir(), 'payin-decide-'))
  const file = join(folder, 'decisions.csv')
  try {
    const lines = ['transfer,decision,to,note']
    const bookedAt = new Date(service.clock.now).toISOString()
    const names = Array.from({ length: 199 }, (_, index) => `many-${index}`)
    const reports = names.map((bankReference, index) => ({
      amount: 10 + index,
      currency: 'rub',
      bookedAt,
      bankReference,
    }))
    assert.equal((await bank.feed(reports)).status, 200)
    lines.push(...names.map((name) => `${name},ignore,,not ours`))
    await bank.push('odd', { amount: 50_000 })
    lines.push('odd,assign,waits=20000.00,by phone')
    writeFileSync(file, lines.join('\n'))

    const previewed = await payin(['transfers', 'decide', '--file', file, '--preview'])
    assert.match(previewed.out, /200 can be decided, 0 refused\. Nothing was changed\./, previewed.out.slice(-500))
    assert.match(previewed.out, /ignore +10\.00 rub +suspense +ignored/)
    assert.equal((await bank.inbox()).length, 200)

    const decided = await payin(['transfers', 'decide', '--file', file])
    assert.deepEqual([decided.code, /200 decided, 0 refused\./.test(decided.out)], [0, true], decided.out.slice(-500))
    const [rest, ...others] = await bank.inbox()
    assert.deepEqual([rest?.kind, others.length], ['payment', 0])
    const audit = await bank.operator.lastAudit()
    assert.deepEqual([audit.action, audit.details['together']], ['transfer.assign', 200])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

onBothEngines('the same request with the same key is carried out once', async (service) => {
  const bank = await openBank(service)
  const [first, second] = [await bank.push('A', { amount: 5 }), await bank.push('B', { amount: 6 })]
  const of = (id: string, more: object) => ({ requisiteId: bank.requisiteId, id, ...more })
  // A part of a transfer, which could be assigned a second time.
  const share = {
    merchantId: bank.shop.merchantId,
    paymentId: (await bank.shop.create('third', { amount: 777 })).body.payment.id,
  }
  const big = await bank.push('C', { amount: 100 })
  const body = {
    transfers: [
      of(first, { decision: 'ignore', note: 'x' }),
      of(big, { decision: 'assign', shares: [{ ...share, amount: 10 }] }),
      of(second, { decision: 'same-money', note: 'x' }),
      of(unknownId, { decision: 'accept' }),
    ],
  }
  const answers = await Promise.all([1, 2, 3].map(async () => (await decide(service, body, 'key-1')).body))
  for (const answer of answers) assert.deepEqual(answer.transfers, answers[0].transfers)
  assert.equal(new Set(answers.map(({ id }) => id)).size, 1)
  assert.deepEqual(statesOf(answers[0].transfers), ['done', 'done', 'invalid_state', 'resource_not_found'])
  assert.deepEqual((await decide(service, body, 'key-1')).body, answers[0])
  const parts = (await bank.operator.get(`/transfers/${bank.requisiteId}/${big}`)).body.parts
  assert.deepEqual(
    parts.map((each: { kind: string; amount: number }) => [each.kind, each.amount]),
    [
      ['payment', 10],
      ['suspense', 90],
    ],
  )
  assertProblem(await decide(service, { transfers: body.transfers.slice(1) }, 'key-1'), 409, 'already_exists')
  const other = (await decide(service, body, 'key-2')).body
  assert.deepEqual(statesOf(other.transfers), ['invalid_state', 'done', 'invalid_state', 'resource_not_found'])
})

onOneEngine('an odd transfer takes two commands and no pasted id: one lists it, one decides', async (service) => {
  const bank = await openBank(service)
  const payin = cli(service)
  await bank.shop.create('near', { amount: 1000 })
  await bank.shop.create('further', { amount: 1003 })
  await bank.push('odd-1', { amount: 1000.5 })
  assert.match(
    (await payin(['transfers', 'list', '--unmatched'], 80)).out,
    /^TRANSFER[^]*\nodd-1 +1000\.50 rub +inbox .* near +sbp/,
  )
  const accepted = await payin(['transfers', 'accept', 'odd-1'])
  assert.deepEqual([accepted.code, /accept +done/.test(accepted.out)], [0, true], accepted.out)
  assert.deepEqual(await bank.inbox(), [])
  assert.equal(await bank.shop.status('near'), 'disput-paid')

  // Without a reference of the bank, what the list shows is as short as it can be typed.
  const record = ['transfers', 'record', '--requisite', bank.requisiteId, '--currency', 'rub', '--amount', '70']
  assert.equal((await payin(record)).code, 0)
  const listed = (await payin(['transfers', 'list', '--unmatched'], 80)).out
  const [, name = ''] = /^(\S{8,24}) +70\.00 rub/m.exec(listed) ?? []
  await bank.shop.create('by phone', { amount: 7000 })
  const assigned = await payin(['transfers', 'assign', name, '--to', 'by phone=60'])
  assert.match(assigned.out, /payment +60\.00 rub +– +Test Shop +by phone/)
  assert.match((await payin(['transfers', 'ignore', name, '--reason', 'not ours'])).out, /ignored +10\.00 rub/)
  assert.deepEqual(await bank.inbox(), [])
})

onOneEngine(
  'the morning is one command: it has all that waits, and each line a command that shows it',
  async (service) => {
    const bank = await openBank(service)
    const payin = cli(service)
    const { shop } = bank
    assert.match((await payin(['today'])).out, /^Nothing waits for you\./)
    await bank.push('stray', { amount: 12.34 })
    await bank.bring(camtOf, [{ minor: -15_25n, text: 'Fee' }])
    await shop.create('paid', { amount: 5000 })
    await bank.push('exact', { amount: 5000 })
    await shop.create('claimed', { amount: 300 })
    await shop.post('/payments/byOrderId/cancel', { orderId: 'claimed' })
    await payin(['disputes', 'open', 'claimed', '--amount', '300', '--reason', 'x'])
    await openDestination(service, shop.merchantId)
    await payin(['settlements', 'create', shop.merchantId, '--reference', 'S-1', '--to', 'Main wallet'])
    for (const width of [60, 80, 120]) {
      const { out } = await payin(['today'], width)
      const shown = [...out.matchAll(/(?<= )payin [^\n]+?(?= {2}|$)/gm)].map(([command]) => command)
      const words = [
        'transfers list --unmatched',
        'outgoing list --state unexplained',
        'disputes list --state undecided',
      ]
      for (const command of [...words, 'payments list --unacknowledged', 'settlements list --status draft'])
        assert.ok(shown.includes(`payin ${command}`), `${width}: ${command}\n${out}`)
      for (const line of out.split('\n')) assert.ok(line.length <= width || line.startsWith('Not shown'), line)
      for (const command of width === 80 ? shown : []) {
        const answer = await payin(command.split(' ').slice(1))
        assert.deepEqual([answer.code, answer.out.startsWith('No')], [0, false], command)
      }
    }
  },
)

test('a preview changes nothing, and a wrong request is refused as a whole', async () => {
  const service = opened()
  const bank = await openBank(service)
  const requisiteId = bank.requisiteId
  const id = await bank.push('P', { amount: 7 })
  const before = await bank.operator.lastAudit()
  const row = { requisiteId, id, decision: 'ignore', note: 'x' }
  const { body } = await decide(service, { transfers: [row], preview: true })
  assert.deepEqual(body.id, undefined)
  assert.deepEqual(
    body.transfers[0].entries.map(({ kind }: { kind: string }) => kind),
    ['ignore'],
  )
  assert.deepEqual(await bank.operator.lastAudit(), before)
  assert.equal((await bank.inbox()).length, 1)
  const wrong: [object, string[]?][] = [
    [{}],
    [{ transfers: [row, row] }, ['transfers.1.id']],
    [{ transfers: [{ requisiteId, id, decision: 'ignore' }] }, ['transfers.0.note']],
    [{ transfers: [{ requisiteId, id, decision: 'assign' }] }, ['transfers.0.shares']],
    [{ transfers: Array.from({ length: 1001 }, () => row) }, ['transfers']],
  ]
  for (const [given, fields] of wrong) assertProblem(await decide(service, given), 400, 'validation_failed', fields)
})

onBothEngines(
  'a decision is revoked as a whole or in part, but not where something was built on it',
  async (service) => {
    const bank = await openBank(service)
    const { operator, requisiteId } = bank
    const { body: partly } = await bank.shop.create('partly', { amount: 3000 })
    const shares = [{ merchantId: bank.shop.merchantId, paymentId: partly.payment.id }]
    const ids: string[] = []
    for (const name of ['R1', 'R2', 'R3', 'R4']) ids.push(await bank.push(name, { amount: 20 }))
    const [first = '', second = '', third = '', fourth = ''] = ids
    const transfers = [
      { requisiteId, id: first, decision: 'ignore', note: 'x' },
      { requisiteId, id: second, decision: 'assign', shares },
      { requisiteId, id: third, decision: 'park', note: 'asked the bank' },
      { requisiteId, id: fourth, decision: 'ignore', note: 'x' },
    ]
    const { id } = (await decide(service, { transfers })).body
    const parked = (await operator.get('/transfers?parked=true')).body.transfers
    assert.deepEqual(
      parked.map((each: { id: string; parked: { by: string; why: string } }) => [
        each.id,
        each.parked.by,
        each.parked.why,
      ]),
      [[third, 'operator:operator', 'asked the bank']],
    )
    // Built on: the fourth was decided again.
    assert.equal((await bank.decide(fourth, 'unassign', { reason: 'x' })).status, 200)
    const statesBy = async () =>
      (await operator.get(`/decisions/${id}`)).body.transfers.map(({ state }: { state: string }) => state)
    assert.deepEqual(await statesBy(), ['revocable', 'revocable', 'revocable', 'irrevocable'])

    const one = await operator.call('POST', `/decisions/${id}/revoke`, {
      transfers: [{ requisiteId, id: first }],
      reason: 'ours',
    })
    assert.deepEqual(statesOf(one.body.transfers), ['revoked'])
    const rest = await operator.call('POST', `/decisions/${id}/revoke`, { reason: 'ours' })
    assert.deepEqual(statesOf(rest.body.transfers), ['revoked', 'revoked', 'refused'])
    assert.deepEqual(await statesBy(), ['revoked', 'revoked', 'revoked', 'irrevocable'])
    assert.equal((await bank.inbox()).length, 4)
    assert.deepEqual((await operator.get('/transfers?parked=true')).body.transfers, [])
    const listed = (await operator.get('/decisions')).body.decisions.find((each: { id: string }) => each.id === id)
    assert.deepEqual([listed.done, listed.refused, listed.revoked], [4, 0, 3])
    assert.equal((await operator.get('/doctor')).body.healthy, true)

    service.clock.advance(30 * day)
    assert.equal(await forgetDecisions(service.context), 0)
    service.clock.advance(minute)
    assert.ok((await forgetDecisions(service.context)) > 0)
    assertProblem(await operator.get(`/decisions/${id}`), 404, 'resource_not_found')
  },
)

test('an odd transfer is parked with a reason and shown so', async () => {
  const service = opened()
  const bank = await openBank(service)
  const payin = cli(service)
  await bank.push('later-1', { amount: 33 })
  const parked = await payin(['transfers', 'park', 'later-1', '--reason', 'asked the bank'])
  assert.deepEqual([parked.code, /park +done/.test(parked.out)], [0, true], parked.out)
  const shown = (await payin(['transfers', 'show', 'later-1'])).out
  assert.match(shown, /Parked +at .*; by operator; why asked the bank/)
  assert.match((await payin(['transfers', 'list', '--parked'])).out, /operator: asked the bank/)
  const revoked = await payin(['decisions', 'revoke', 'last', '--reason', 'answered'])
  assert.deepEqual([revoked.code, /revoked/.test(revoked.out)], [0, true], revoked.out)
  assert.match((await payin(['transfers', 'list', '--parked'])).out, /No such transfers|Nothing waits/)
})

test('who decided about a transfer, and why, is shown with the transfer and with its payment', async () => {
  const service = opened()
  const bank = await openBank(service)
  const payin = cli(service)
  const { body } = await bank.shop.create('decided-1', { amount: 700 })
  assert.equal(body.payment?.orderId, 'decided-1', JSON.stringify(body))
  await bank.push('decided-1', { amount: 65 })
  const assigned = await payin(['transfers', 'assign', 'decided-1', '--to', 'decided-1', '--reason', 'he called'])
  assert.equal(assigned.code, 0, assigned.out)
  const { transfers } = (await bank.operator.get(`/payments/${bank.shop.merchantId}/${body.payment.id}`)).body
  assert.deepEqual(
    transfers.map((each: { by: string; note?: string }) => [each.by, each.note]),
    [['operator:operator', 'he called']],
  )
  assert.match((await payin(['payments', 'show', 'decided-1'])).out, /operator:operator +he called/)
  assert.match((await payin(['transfers', 'list'])).out, /operator: he called/)
  const returned = await payin(['transfers', 'unassign', 'decided-1', '--reason', 'not his'])
  assert.equal(returned.code, 0, returned.out)
  assert.match((await payin(['transfers', 'list', '--unmatched'])).out, /operator: not his/)
})
