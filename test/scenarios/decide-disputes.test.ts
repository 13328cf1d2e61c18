// Decisions about many disputes at once.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgetDecisions } from '../../src/engine/decisions/record-decision.ts'
import { day } from '../../src/rules/time.ts'
import { type Court, openCourt } from '../support/disputes.ts'
import { unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { payinOf } from '../support/run-payin.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { payIn, send } from '../support/shop.ts'

const { onEngines, onOne } = shareEngines()

type Result = { id: string; state: string; code?: string; status?: string; entries?: { kind: string }[] }

/** Sends decisions as an operator, with a key of the request where there is one. */
const decide = (
  service: TestService,
  body: object,
  { by = 'anna', key, about = 'disputes' }: { by?: string; key?: string; about?: string } = {},
) =>
  send(service, `/api/v1/operator/${about}/decide`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.operatorTokens[by]}`,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  })

const statesOf = (disputes: readonly Result[]) => disputes.map(({ state, code }) => code ?? state)

type Opened = { readonly key: { merchantId: string; id: string }; readonly requisiteId: string }

/** Disputes about canceled payments, by their orders. */
const openMany = async (court: Court, orders: readonly string[]): Promise<Opened[]> => {
  const made: Opened[] = []
  for (const orderId of orders) {
    const { requisiteId } = await court.create(orderId)
    await court.shop.post('/payments/byOrderId/cancel', { orderId })
    const { status, body } = await court.claim(orderId)
    assert.equal(status, 201, JSON.stringify(body))
    made.push({ key: { merchantId: court.shop.merchantId, id: body.id }, requisiteId })
  }
  return made
}

onEngines('many are decided by one request: a result for each, previewed, once for a key', async (service) => {
  const court = await openCourt(service, { perMethod: 8 })
  const [paid, unpaid, wrong] = await openMany(court, ['many-paid', 'many-unpaid', 'many-wrong'])
  assert.ok(paid && unpaid && wrong)
  const { merchantId } = court.shop
  const { requisiteId } = paid
  const came = await payIn(service, { requisiteId, minor: 4900_00n, reference: 'many-late' })
  const body = {
    note: 'checked with the bank',
    disputes: [
      { ...paid.key, decision: 'accept', transfers: [{ requisiteId, id: came.id }] },
      { ...unpaid.key, decision: 'accept', amount: 5000, note: 'goodwill' },
      { ...wrong.key, decision: 'reject' },
      { merchantId, id: unknownId, decision: 'reject' },
    ],
  }
  const preview = (await decide(service, { ...body, preview: true })).body.disputes as Result[]
  assert.deepEqual(statesOf(preview), ['possible', 'possible', 'possible', 'resource_not_found'])
  assert.deepEqual(
    preview.map(({ status }) => status),
    ['disput-paid', 'disput-paid', 'canceled', undefined],
  )
  assert.ok(preview[0]?.entries?.some(({ kind }) => kind === 'credit'))
  assert.equal(await court.shop.status('many-paid'), 'disput')

  const answers = await Promise.all([1, 2, 3].map(() => decide(service, body, { key: 'morning' })))
  for (const { status, body: answered } of answers) {
    assert.equal(status, 200, JSON.stringify(answered))
    assert.deepEqual(statesOf(answered.disputes), ['done', 'proposed', 'done', 'resource_not_found'])
  }
  const [first] = answers
  assert.deepEqual((await decide(service, body, { key: 'morning' })).body, first?.body)
  assert.equal(first?.body.disputes[0].orderId, 'many-paid')
  assert.deepEqual(
    await Promise.all(['many-paid', 'many-unpaid', 'many-wrong'].map((orderId) => court.shop.status(orderId))),
    ['disput-paid', 'disput', 'canceled'],
  )
  assert.equal((await court.dispute('many-wrong')).body.decisionNote, 'checked with the bank')
  assert.equal((await court.anna.lastAudit()).details['together'], 4)
  assertProblem(
    await decide(service, { disputes: [body.disputes[2]], note: 'x' }, { key: 'morning' }),
    409,
    'already_exists',
  )
  const transfers = [{ requisiteId, id: unknownId, decision: 'accept' }]
  const ofTransfers = await decide(service, { transfers }, { key: 'morning', about: 'transfers' })
  assert.deepEqual(statesOf(ofTransfers.body.transfers), ['resource_not_found'])
  // Without a key it is another request, which finds them decided.
  assert.deepEqual(statesOf((await decide(service, body)).body.disputes), [
    ...['invalid_state', 'proposed', 'invalid_state', 'resource_not_found'],
  ])

  const confirm = { disputes: [{ ...unpaid.key, decision: 'confirm', amount: 5000 }] }
  assert.deepEqual(statesOf((await decide(service, confirm)).body.disputes), ['invalid_state'])
  const shown = (await decide(service, { ...confirm, preview: true }, { by: 'boris' })).body.disputes as Result[]
  assert.deepEqual([shown[0]?.state, shown[0]?.status], ['possible', 'disput-paid'])
  const other = { disputes: [{ ...unpaid.key, decision: 'confirm', amount: 4000 }] }
  assert.deepEqual(statesOf((await decide(service, other, { by: 'boris' })).body.disputes), ['status_changed'])
  assert.deepEqual(statesOf((await decide(service, confirm, { by: 'boris' })).body.disputes), ['done'])
  assert.equal(await court.shop.status('many-unpaid'), 'disput-paid')
})

onEngines('400: what no row may have; the results of a key are forgotten after a month', async (service) => {
  const court = await openCourt(service, { perMethod: 8 })
  const [one] = await openMany(court, ['forgotten'])
  const wrong: [rows: object[], fields: string[]][] = [
    [[{ ...one?.key, decision: 'reject' }], ['disputes.0.note']],
    [[{ ...one?.key, decision: 'confirm' }], ['disputes.0.amount']],
    [
      [
        { ...one?.key, decision: 'reject', note: 'x' },
        { ...one?.key, decision: 'reject', note: 'x' },
      ],
      ['disputes.1.id'],
    ],
  ]
  for (const [disputes, fields] of wrong)
    assertProblem(await decide(service, { disputes }), 400, 'validation_failed', fields)
  const body = { disputes: [{ ...one?.key, decision: 'reject', note: 'x' }] }
  assert.deepEqual(statesOf((await decide(service, body, { key: 'old' })).body.disputes), ['done'])
  const before = service.clock.now
  try {
    service.clock.now = before + 29 * day
    assert.equal(await forgetDecisions(service.context), 0)
    service.clock.now = before + 31 * day
    assert.ok((await forgetDecisions(service.context)) > 0)
    assert.deepEqual(statesOf((await decide(service, body, { key: 'old' })).body.disputes), ['invalid_state'])
  } finally {
    service.clock.now = before
  }
})

onEngines('a file names disputes by their orders, and transfers by their references', async (service) => {
  const court = await openCourt(service, { perMethod: 8, name: 'Court of files' })
  const [paid] = await openMany(court, ['file-paid', 'file-wrong'])
  const requisiteId = paid?.requisiteId ?? ''
  await payIn(service, { requisiteId, minor: 4700_00n, reference: 'FILE-1' })
  await payIn(service, { requisiteId, minor: 300_00n, reference: 'FILE-2' })
  const folder = mkdtempSync(join(tmpdir(), 'payin-disputes-'))
  const file = join(folder, 'decisions.csv')
  const payin = payinOf(service)
  try {
    writeFileSync(
      file,
      'dispute,decision,merchant,transfers,note\nfile-paid,accept,Court of files,FILE-1 + FILE-2,\nfile-wrong,reject,Court of files,,no such money\n',
    )
    const words = ['disputes', 'decide', '--file', file, '--reason', 'found by the bank']
    const previewed = await payin([...words, '--preview'])
    assert.match(previewed.out, /^DISPUTE +DECISION +STATE .*\nfile-paid +accept +possible /s, previewed.error)
    assert.match(
      previewed.out,
      /2 can be decided, 0 refused\. Nothing was changed\.\n.*file-paid +credit +5000\.00 rub /s,
    )
    const decided = await payin([...words, '--key', 'file-1'])
    assert.match(decided.out, /2 decided, 0 refused\.\n$/, decided.error)
    assert.equal((await payin([...words, '--key', 'file-1'])).code, 0)
    assert.deepEqual((await court.dispute('file-wrong')).body.decisionNote, 'no such money')
    const again = await payin(words)
    assert.deepEqual([again.code, /0 decided, 2 refused/.test(again.out)], [1, true], again.out)
    writeFileSync(file, 'dispute,decision\nnobody,reject\n')
    assert.match((await payin(words)).error, /line 2/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

onEngines('money that has gone elsewhere since a proposal is not credited by its confirmation', async (service) => {
  const court = await openCourt(service, { perMethod: 1 })
  const { requisiteId } = await court.create('claimed', { amount: 250_000 })
  await court.shop.post('/payments/byOrderId/cancel', { orderId: 'claimed' })
  const claim = await court.claim('claimed', { amount: 250_000 })
  const came = await payIn(service, { requisiteId, minor: 249_999_00n, reference: 'all but one' })
  const seen = { amount: 250_000, transfers: [{ requisiteId, id: came.id }] }
  const propose = () => court.step('decision', claim.body.id, { decision: 'accept', ...seen })
  assert.equal((await propose()).body.state, 'open')

  const other = await court.create('other', { amount: 249_998 })
  const shares = [{ merchantId: other.merchantId, paymentId: other.id, amount: 249_998 }]
  const assigned = await court.anna.call('POST', `/transfers/${requisiteId}/${came.id}/assign`, { note: 'x', shares })
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
  const confirm = () => court.step('confirm', claim.body.id, seen, court.boris)
  assertProblem(await confirm(), 409, 'status_changed')
  // With the same money as at the proposal, it is the second operator who decides.
  assert.equal((await propose()).status, 200)
  assert.equal((await confirm()).status, 200)
})

onOne('a merchant claims no money that has gone to another payment', async (service) => {
  const court = await openCourt(service, { perMethod: 1 })
  const { requisiteId } = await court.create('small', { amount: 2222 })
  await court.shop.post('/payments/byOrderId/cancel', { orderId: 'small' })
  const came = await payIn(service, { requisiteId, minor: 250_000_00n, reference: 'big', channel: 'mt940' })
  const other = await court.create('other', { amount: 249_999 })
  const shares = [{ merchantId: other.merchantId, paymentId: other.id, amount: 249_999 }]
  const path = `/transfers/${requisiteId}/${came.id}/assign`
  assert.equal((await court.anna.call('POST', path, { note: 'x', shares })).status, 200)
  assertProblem(await court.claim('small', { amount: 250_000 }), 422, 'amount_above_max')
})
