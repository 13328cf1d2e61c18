// The encryption keys are changed while the service runs: everything is sealed and indexed again, and the old key can go.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { jsonb, query, text, uuid } from 'payin-database'
import { minute, second } from '../../src/rules/time.ts'
import { pickUpFiles } from '../../src/engine/statements/pickups/pick-up-files.ts'
import { rotateKeys } from '../../src/engine/key-rotation/rotate-keys.ts'
import { openBank } from '../support/bank.ts'
import { codeOf, enrolMember, memberPassword, visit } from '../support/console.ts'
import { pngFile } from '../support/disputes.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { creditOf, openPhone } from '../support/phones.ts'
import { openFeed } from '../support/push.ts'
import { payinOf } from '../support/run-payin.ts'
import { block, limit, phone, tellPhone } from '../support/risk.ts'
import { assertHealthy, engines, openTestService, type TestService } from '../support/service.ts'
import { payIn, newNumber, send, type Shop } from '../support/shop.ts'
import { camtOf, uploadFile } from '../support/statement-files.ts'

const newKey = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`

const listColumns = query('test_text_columns', {
  row: { name: text, columns: jsonb<readonly string[]>() },
  text: `select table_name as name, jsonb_agg(column_name) as columns from information_schema.columns
    where table_schema = current_schema() and data_type = 'text' group by 1 order by 1`,
})

/** Every sealed column. A new one needs its place in `rotationSteps`, and something in `fill`. */
const sealedColumns = [
  'alert_channels.secret_sealed',
  'dispute_evidence.content_sealed',
  'notification_endpoints.previous_secret_sealed',
  'notification_endpoints.secret_sealed',
  'outgoing_rules.details_sealed',
  'outgoing_transfers.details_sealed',
  'payer_receipts.content_sealed',
  'payments.payer_name_sealed',
  'payments.payer_phone_sealed',
  'phone_messages.content_sealed',
  'phones.secret_sealed',
  'refunds.pay_to_sealed',
  'refunds.payee_sealed',
  'requisites.number_sealed',
  'requisites.recipient_sealed',
  'risk_blocks.value_sealed',
  'statement_accounts.number_sealed',
  'statement_numbers.number_sealed',
  'statement_rows.details_sealed',
  'statement_sources.key_sealed',
  'statement_sources.pickup_secret_sealed',
  'transfers.sender_name_sealed',
  'transfers.sender_sealed',
  'transfers.text_sealed',
]
const notFilled = new Set([
  'notification_endpoints.previous_secret_sealed',
  'payer_receipts.content_sealed',
  'requisites.recipient_sealed',
])

/** What forgets itself within days, or is only a lock. */
const shortLived = new Set([
  'member_lockouts.email_index',
  'payment_link_uses.address_index',
  'risk_payers.payer_index',
])

/** All sealed values, and all keyed hashes, each with its table and column. */
const readKeyed = async (service: TestService) => {
  const sealed: string[] = []
  const indexes: string[] = []
  for (const { name, columns } of await service.context.query(listColumns, {})) {
    for (const column of columns) {
      const values = query(`test_keyed_${name}_${column}`, {
        row: { value: text },
        text: `select ${column} as value from ${name} where ${column} is not null and ${column} <> ''`,
      })
      const isIndex = column.endsWith('_index') && !shortLived.has(`${name}.${column}`)
      for (const { value } of await service.context.query(values, {})) {
        if (/^v1\.k\d+\./.test(value) && name !== 'service_state') sealed.push(`${name}.${column} ${value}`)
        if (isIndex) indexes.push(`${name}.${column} ${value}`)
      }
    }
  }
  return { sealed, indexes, tokens: await service.context.query(listTokens, {}) }
}

const readReporter = query('test_reporter_of_statement', {
  parameters: { id: uuid },
  row: { reportedBy: text },
  text: `select reported_by from statements where id = :id`,
})

const listTokens = query('test_search_tokens', {
  row: { value: text },
  text: `select token::text as value from search_entries cross join unnest(tokens) as token`,
})

const tablesOf = (rows: readonly string[]): string[] =>
  [...new Set(rows.map((row) => row.split(' ')[0] ?? ''))].toSorted()

const runRotation = async (service: TestService): Promise<void> => {
  while ((await rotateKeys(service.context)) > 0);
}

const sendEvidence = async (service: TestService, shop: Shop): Promise<void> => {
  const sent = await send(service, '/api/v1/merchant/payments/byOrderId/gone/dispute/evidence', {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'image/png' },
    body: new Uint8Array(pngFile()),
  })
  assert.ok(sent.status < 300, JSON.stringify(sent.body))
}

/** One of everything that is sealed or indexed. */
const fill = async (service: TestService) => {
  const operator = openOperator(service)
  const bank = await openBank(service)
  const { shop } = bank
  await limit(operator, { kind: 'user', merchantId: shop.merchantId, maxCount: 2 })
  await limit(operator, { kind: 'phone', maxCount: 2 })
  await block(operator, { kind: 'phone', value: '+79261110000' })
  const { body: staged } = await shop.create('staged', { type: 'staged', userId: 'anna' })
  assert.equal((await tellPhone(service, staged.redirectUrl)).status, 303)
  const { body: paid } = await shop.create('paid', {
    userId: 'anna',
    amount: 7000,
    method: 'card-to-card',
    sbpEnabled: false,
  })
  const feed = await openFeed(service, 'card feed', [paid.card.id])
  const report = { ...{ requisiteId: paid.card.id, amount: 7000, currency: 'rub' }, sender: '4276 3801 2345 6789' }
  const bookedAt = new Date(service.clock.now).toISOString()
  const pushed = await feed([{ ...report, bookedAt, bankReference: 'r-1', senderName: 'PETROV IVAN', text: 'thanks' }])
  assert.equal(pushed.status, 200, JSON.stringify(pushed.body))
  await bank.bring(camtOf, [
    { minor: 12_300n, text: 'who knows' },
    { minor: -5_500n, text: 'to somebody' },
  ])
  assert.equal((await shop.create('nameless', { amount: 6500 })).status, 201)
  await payIn(service, { requisiteId: bank.requisiteId, minor: 6500_00n })
  const wanted = { reference: 'r-1', amount: 100, payTo: 'IVANOV 40817810099910004312' }
  const asked = await shop.post('/payments/byOrderId/nameless/refunds', wanted)
  assert.equal((await operator.call('POST', `/refunds/${shop.merchantId}/${asked.body.id}/approve`)).status, 200)
  const ofRefunds = { requisiteId: bank.requisiteId, format: 'csv', reason: 'refunds' }
  const file = await operator.call('POST', '/refunds/bank-file', ofRefunds)
  assert.equal(file.body.refunds?.length, 1, JSON.stringify(file.body))
  const forwarder = await openPhone(service, [bank.requisiteId])
  await forwarder.sms(creditOf(service, 2745, 9000))
  const { sources } = (await operator.get('/statement-sources')).body
  const { id: sourceId } = sources.find(({ name }: { name: string }) => name === 'card feed')
  const place = { address: 'sftp://payin@127.0.0.1/out', hostKey: `SHA256:${'A'.repeat(43)}`, secret: 'password' }
  const picked = await operator.call('PUT', `/statement-sources/${sourceId}/pickup`, place)
  assert.equal(picked.status, 200, JSON.stringify(picked.body))
  const rule = { currency: 'rub', text: 'card fee', purpose: 'fee', reason: 'card fees' }
  assert.equal((await operator.call('POST', '/outgoing-rules', rule)).status, 200)
  const { body: hook } = await shop.post('/endpoints', { url: 'https://shop.example.com/payin' })
  const webhook = { name: 'ops', kind: 'webhook', url: 'https://ops.example.com/alerts' }
  assert.equal((await operator.call('POST', '/alert-channels', webhook)).status, 201)
  assert.equal((await shop.create('gone', { amount: 8000 })).status, 201)
  assert.equal((await shop.post('/payments/byOrderId/cancel', { orderId: 'gone' })).status, 200)
  const claimed = await shop.post('/payments/byOrderId/gone/dispute', { amount: 8000 })
  assert.equal(claimed.status, 201, JSON.stringify(claimed.body))
  await sendEvidence(service, shop)
  const member = await enrolMember(service, { role: 'owner' })
  const { body: link } = await shop.post('/links', { title: 'Course', amount: 1000, currency: 'rub', method: 'sbp' })
  service.clock.now += 3 * second
  const sentFile = { ...ofRefunds, again: file.body.bankFile, content: file.body.content }
  return { operator, bank, shop, staged, paid, feed, report, forwarder, hook, member, link, sourceId, sentFile }
}
type Filled = Awaited<ReturnType<typeof fill>>

/** That everything is found and opened, whichever key made it. */
const useEverything = async (service: TestService, filled: Filled, mark: string): Promise<void> => {
  const { shop, feed, report, forwarder, bank, member, staged, link, sourceId, sentFile } = filled
  const operator = openOperator(service)
  assertProblem(
    await operator.call('POST', '/risk/blocks', { kind: 'phone', value: '+79261110000', reason: 'x' }),
    409,
    'already_exists',
  )
  assert.equal((await send(service, new URL(staged.redirectUrl).pathname)).status, 200)
  assert.match((await send(service, new URL(link.url).pathname)).body, /Course/)
  const bookedAt = new Date(service.clock.now).toISOString()
  const again = await feed([
    { ...report, bookedAt, bankReference: 'r-1' },
    { ...report, bookedAt, bankReference: mark },
  ])
  assert.deepEqual(
    again.body.transfers.map((each: { state: string }) => each.state),
    ['already-known', 'recorded'],
    JSON.stringify(again.body),
  )
  await forwarder.sms(creditOf(service, 1, null, { digits: '9999' }))
  const bySender = (await operator.get('/transfers?sender=4276380123456789')).body.transfers
  assert.ok(bySender.length >= 2, 'the transfers of a sender are found')
  const found = (await operator.get(`/search?q=${encodeURIComponent('petrov')}`)).body
  assert.match(JSON.stringify(found), /r-1/)
  assert.match(JSON.stringify((await operator.get(`/search?q=${encodeURIComponent(phone)}`)).body), /staged/)
  assert.equal((await operator.call('POST', `/statement-sources/${sourceId}/pickup/look`)).status, 202)
  service.clock.now += 20 * second
  assert.equal(await pickUpFiles(service.context), 1)
  const { sources } = (await operator.get('/statement-sources')).body
  const { pickupProblem } = sources.find(({ id }: { id: string }) => id === sourceId)
  assert.equal(pickupProblem, 'the address is not one of the public internet')
  await sendEvidence(service, shop)
  assert.equal((await operator.get('/outgoing-rules')).body.rules[0].text, 'card fee')
  const { content, ...wanted } = sentFile
  assert.equal((await operator.call('POST', '/refunds/bank-file', wanted)).body.content, content)
  const uploaded = await bank.upload(camtOf, [{ minor: 100n, text: mark }])
  assert.equal(uploaded.state, 'ready', JSON.stringify(uploaded))
  await operator.call('DELETE', `/statements/${uploaded.id}`)
  // The third payment of a user whom a rule allows two, two of which were counted by the first key.
  const third = await shop.create(`third ${mark}`, { userId: 'anna' })
  assert.equal(third.body.payment?.status, 'failed', JSON.stringify(third.body))
  const visitor = visit(service)
  await visitor.call('/auth/sign-in/email', { email: member.email, password: memberPassword })
  const steps = mark === 'mixed' ? 1 : -1
  const verified = await visitor.call('/auth/two-factor/verify-totp', { code: codeOf(member.uri, steps) })
  assert.equal(verified.status, 200, JSON.stringify(verified.body))
}

for (const engine of engines) {
  const skip = engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false
  const [k1, k2] = [newKey('k1'), newKey('k2')]

  test(`after a rotation nothing needs the old key, and everything is found as before [${engine}]`, {
    skip,
  }, async () => {
    const environment = { PAYIN_ENCRYPTION_KEYS: k1 }
    const service = await openTestService(engine, environment)
    const restartWith = async (keys: string): Promise<void> => {
      environment.PAYIN_ENCRYPTION_KEYS = keys
      await service.restart()
    }
    try {
      const operator = openOperator(service)
      const filled = await fill(service)
      const before = await readKeyed(service)
      assertProblem(await operator.call('POST', '/keys/rotation'), 409, 'invalid_state')

      await restartWith(`${k1},${k2}`)
      assert.match((await openOperator(service).get('/doctor')).body.notes[0], /k2 is not needed: .*put it first/)
      const status = await payinOf(service)(['keys', 'status'])
      assert.match(status.out, /k2 is not needed: .*put it first/)

      await restartWith(`${k2},${k1}`)
      assert.match((await payinOf(service)(['keys', 'status'])).out, /payin keys rotate seals everything with k2/)
      const live = openOperator(service)
      const [{ numberMasked = '' } = {}] = (await live.get('/requisites?limit=1')).body.requisites
      assert.ok(numberMasked !== undefined)
      const number = newNumber('sbp')
      const wanted = { mode: 'live', method: 'sbp', currency: 'rub', bankIssuer: 'bank-a', holder: 'A B', number }
      assert.equal((await live.call('POST', '/requisites', { requisites: [wanted] })).status, 201)
      await useEverything(service, filled, 'mixed')
      const needed = (await live.get('/keys')).body.keys
      assert.deepEqual(needed, [
        { id: 'k2', isNeeded: true },
        { id: 'k1', isNeeded: true },
      ])

      const started = await live.call('POST', '/keys/rotation')
      assert.equal(started.status, 202, JSON.stringify(started.body))
      assert.equal((await live.lastAudit()).action, 'keys.rotate')
      assert.match((await payinOf(service)(['keys', 'rotate'])).out, /under way since .*: 0 of 20 tables are done/)
      assert.ok((await rotateKeys(service.context)) > 0)
      assert.match((await payinOf(service)(['keys', 'status'])).out, /[1-9]\d* of 20 tables are done, [1-9]\d* rows/)
      await runRotation(service)
      const { keys, rotation } = (await live.get('/keys')).body
      assert.deepEqual(keys, [
        { id: 'k2', isNeeded: true },
        { id: 'k1', isNeeded: false },
      ])
      assert.ok(rotation.finishedAt, JSON.stringify(rotation))
      assert.match((await live.get('/doctor')).body.notes[0], /k1 is not needed/)
      const end = (await payinOf(service)(['keys', 'status'])).out
      assert.match(end, /Everything was sealed with k2 by/)
      assert.match(end, /k1 is not needed: remove it/)

      const now = await readKeyed(service)
      assert.deepEqual(
        now.sealed.filter((value) => value.includes(' v1.k1.')),
        [],
      )
      assert.deepEqual(tablesOf(now.sealed), tablesOf([...before.sealed, ...now.sealed]))
      const old = new Set(before.indexes)
      assert.deepEqual(
        now.indexes.filter((value) => old.has(value)),
        [],
      )
      const oldTokens = new Set(before.tokens.map(({ value }) => value))
      assert.deepEqual(
        now.tokens.filter(({ value }) => oldTokens.has(value)),
        [],
      )
      assert.deepEqual(
        tablesOf(before.sealed),
        sealedColumns.filter((name) => !notFilled.has(name)),
      )
      const columns = await service.context.query(listColumns, {})
      const all = columns.flatMap(({ name, columns: names }) => names.map((column) => `${name}.${column}`))
      assert.deepEqual(all.filter((name) => name.endsWith('_sealed')).toSorted(), sealedColumns)

      await restartWith(k2)
      await useEverything(service, filled, 'after')
      const last = openOperator(service)
      assertProblem(await last.call('POST', '/requisites', { requisites: [wanted] }), 409, 'already_exists')
      await assertHealthy(service)
      assert.equal((await last.get('/doctor')).body.healthy, true)
      const forgotten = await last.call('DELETE', '/keys/addresses')
      assert.equal(forgotten.status, 200, JSON.stringify(forgotten.body))
      await service.restart()
      assert.equal((await send(service, new URL(filled.link.url).pathname)).status, 404)
      await assert.rejects(restartWith(k1), /needs the encryption key k2/)
      await restartWith(k2)
    } finally {
      await service.stop()
    }
  })
}

for (const engine of engines) {
  const skip = engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false
  const [k1, k2] = [newKey('k1'), newKey('k2')]

  test(`files keep their accounts through a rotation of the keys [${engine}]`, { skip }, async () => {
    const root = mkdtempSync(join(tmpdir(), 'payin-rotated-'))
    const environment = { PAYIN_ENCRYPTION_KEYS: k1, PAYIN_PICKUP_FOLDER: root, PAYIN_LONE_REPORTS_ABOVE: '100' }
    const service = await openTestService(engine, environment)
    const operator = (name?: 'anna' | 'boris') => openOperator(service, name)
    const restartWith = async (keys: string): Promise<void> => {
      environment.PAYIN_ENCRYPTION_KEYS = keys
      await service.restart()
    }
    try {
      const [bank, waiting, other] = [await openBank(service), await openBank(service), await openBank(service)]
      const fileOf = (account: string, ...amounts: bigint[]) =>
        camtOf({ account, rows: amounts.map((minor) => ({ minor, date: bank.date })) })
      const bind = (number: string, requisiteId: string) =>
        operator().call('PUT', '/statement-accounts', { accounts: [{ number, requisiteIds: [requisiteId] }] })
      const confirm = async (id: string, name?: 'boris') => {
        const confirmed = await operator(name).call('POST', `/statements/${id}/confirm`)
        await service.runJobs()
        return confirmed
      }

      const chosen = await uploadFile(service, fileOf('chosen 4777', 5_00n), { requisiteId: bank.requisiteId })
      assert.equal((await confirm(chosen.body.id)).status, 200)
      const ready = await uploadFile(service, fileOf(waiting.account, 6_00n))
      const byAnna = { url: service.url, operatorToken: service.operatorTokens['anna'] ?? '' }
      const determined = await uploadFile(byAnna, fileOf(other.account, 7_00n))

      service.clock.advance(minute)
      await bank.bringAgreed(camtOf, [{ minor: 8_00n }])
      const sourceOf = { name: 'files', requisiteIds: [bank.requisiteId] }
      const at = `/statement-sources/${(await operator('anna').call('POST', '/statement-sources', sourceOf)).body.id}`
      mkdirSync(join(root, 'bank'))
      const set = await operator('anna').call('PUT', `${at}/pickup`, { address: 'folder:bank', importsAlone: true })
      const { version } = set.body.unapproved
      assert.equal((await operator('boris').call('POST', `${at}/approve`, { version })).status, 200)
      const pickUp = async (name: string, minor: bigint) => {
        writeFileSync(join(root, 'bank', name), fileOf(bank.account, minor))
        for (let passed = 0; passed < 3; passed++) {
          service.clock.advance(minute)
          await service.runJobs()
        }
        const { files } = (await operator().get(`${at}/files`)).body
        return files.map((each: { name: string; problem?: string }) => [each.name, each.problem])[0]
      }

      await restartWith(`${k2},${k1}`)
      assert.deepEqual(await pickUp('both.xml', 9_00n), ['both.xml', undefined])
      assertProblem(await bind('chosen 4777', other.requisiteId), 400, 'validation_failed')
      assert.equal((await operator().call('POST', '/keys/rotation')).status, 202)
      await runRotation(service)
      await restartWith(k2)

      assert.deepEqual(await pickUp('new.xml', 10_00n), ['new.xml', undefined])
      assertProblem(await bind('chosen 4777', other.requisiteId), 400, 'validation_failed')
      const elsewhere = await uploadFile(service, fileOf('chosen 4777', 5_00n, 11_00n, 12_00n, 13_00n), {
        requisiteId: other.requisiteId,
      })
      assertProblem(elsewhere, 422, 'statement_refused')
      assert.equal((await bind('chosen 4777', bank.requisiteId)).status, 200)
      assert.equal((await bind(waiting.account, bank.requisiteId)).status, 200)
      assertProblem(await confirm(ready.body.id), 409, 'invalid_state')
      // The operator has bound its account, and nobody else has looked at a file of it.
      assert.equal((await confirm(determined.body.id)).status, 200)
      assert.deepEqual(await service.context.query(readReporter, { id: determined.body.id }), [
        { reportedBy: 'operator:operator' },
      ])
      await assertHealthy(service)
    } finally {
      await service.stop()
      rmSync(root, { recursive: true, force: true })
    }
  })
}
