// Files that come by themselves: from a folder, a mailbox (dovecot) and an SFTP server (sshd).
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import tls from 'node:tls'
import { minute } from '../../src/rules/time.ts'
import { zipOf } from '../../packages/bank-files/test/support/workbooks.ts'
import { openBank } from '../support/bank.ts'
import { startMailbox, startSftp, withoutMailboxes, withoutSftp } from '../support/file-servers.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { shareService } from '../support/shared-service.ts'
import { camtOf, csvOf, type MadeRow } from '../support/statement-files.ts'

const root = mkdtempSync(join(tmpdir(), 'payin-pickups-'))
after(() => rmSync(root, { recursive: true, force: true }))
const opened = shareService({
  environment: { PAYIN_PICKUP_FOLDER: root, PAYIN_OUTBOUND_LOOPBACK: 'on' },
  mayLogErrors: true,
})

type Bank = Awaited<ReturnType<typeof openBank>>
type File = { name: string; origin: string; statementId?: string; problem?: string }
type Incident = { rule: string; summary: string }
let sources = 0

const byName = ([one = '']: readonly (string | undefined)[], [other = '']: readonly (string | undefined)[]) =>
  one.localeCompare(other)

/** The file with a name among those that were picked up. */
const named = (files: readonly File[], wanted: string): File => {
  const found = files.find(({ name }) => name === wanted)
  assert.ok(found, JSON.stringify(files))
  return found
}

/** A bank whose source has a pickup that anna has set up, and boris has approved. */
const openPickup = async (pickup: object, { approved = true, hasSeveral = false, isKnown = true } = {}) => {
  const service = opened()
  const bank = await openBank(service)
  // Two people have looked at a file of the account.
  service.clock.advance(minute)
  if (isKnown) await bank.bringAgreed(camtOf, [{ minor: 3_00n }])
  const anna = openOperator(service, 'anna')
  const name = `files ${++sources}`
  const requisiteIds = hasSeveral ? bank.shop.requisiteIds : [bank.requisiteId]
  const added = await anna.call('POST', '/statement-sources', { name, requisiteIds })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const at = `/statement-sources/${added.body.id}`
  const set = await anna.call('PUT', `${at}/pickup`, pickup)
  assert.equal(set.status, 200, JSON.stringify(set.body))
  const { unapproved } = set.body
  if (approved) {
    const approval = await openOperator(service, 'boris').call('POST', `${at}/approve`, { version: unapproved.version })
    assert.equal(approval.status, 200, JSON.stringify(approval.body))
  }
  const source = async () =>
    (await anna.get('/statement-sources')).body.sources.find((each: { name: string }) => each.name === name)
  return {
    ...{ service, bank, anna, at, name, source },
    /** Lets minutes pass; every place is looked at once a minute. */
    pass: async (minutes = 1) => {
      for (let passed = 0; passed < minutes; passed++) {
        service.clock.advance(minute)
        await service.runJobs()
      }
    },
    files: async (): Promise<File[]> => (await anna.get(`${at}/files`)).body.files,
    statement: async (id = '') => (await anna.get(`/statements/${id}`)).body,
  }
}

const fileOf = ({ account, date }: Bank, ...rows: readonly Partial<MadeRow>[]) =>
  camtOf({ account, rows: rows.map((row) => ({ minor: 500_00n, date, ...row })) })

const openFolder = async (options = {}, given: object = { importsAlone: true }) => {
  const folder = `bank-${sources + 1}`
  mkdirSync(join(root, folder))
  const pickup = await openPickup({ address: `folder:${folder}`, ...given }, options)
  return {
    ...pickup,
    path: join(root, folder),
    put: (name: string, content: string | Buffer) => writeFileSync(join(root, folder, name), content),
  }
}

test('a file in a folder is imported once it has not changed between two looks', async () => {
  const { bank, put, pass, files, statement, source } = await openFolder()
  const whole = fileOf(bank, {}, { minor: 700_00n })
  put('day.xml', whole.slice(0, 400))
  await pass()
  put('day.xml', whole)
  await pass()
  assert.deepEqual(await files(), [])
  await pass()
  const all = await files()
  const picked = named(all, 'day.xml')
  assert.equal(all.length, 1)
  const { name, origin, problem } = picked
  assert.deepEqual(
    { name, origin, problem },
    { name: 'day.xml', origin: `bank-${sources}/day.xml`, problem: undefined },
  )
  const { state, counts, uploadedBy, confirmedBy } = await statement(picked.statementId)
  assert.deepEqual(
    [state, counts.new, uploadedBy, confirmedBy],
    ['imported', 2, `source:files ${sources}`, `source:files ${sources}`],
  )
  await pass()
  await pass()
  assert.equal((await files()).length, 1)
  assert.equal((await source()).pickupProblem, undefined)
})

test('a doubt lets a file wait for a person, and an alert says why', async () => {
  const { service, bank, put, pass, files, statement, anna } = await openFolder()
  put('columns.csv', csvOf({ account: bank.account, rows: [{ minor: 100_00n, date: bank.date }] }))
  put('letter.txt', 'Dear customer')
  put('photo.jpg', 'no statement')
  await pass(2)
  const picked = await files()
  assert.deepEqual(picked.map(({ name, problem }) => [name, problem]).toSorted(byName), [
    ['columns.csv', 'It waits for a person: nobody has looked at a file of its account since that was bound or added.'],
    ['letter.txt', 'It waits for a person: it was refused.'],
  ])
  const waiting = named(picked, 'columns.csv')
  assert.equal((await statement(waiting.statementId)).state, 'ready')
  await pass(11)
  await service.runJobs('all')
  const { incidents } = (await anna.get('/alerts?open=true')).body
  const own = incidents.filter(({ rule }: Incident) => rule === 'pickup-waiting')
  assert.equal(own.length, 2, JSON.stringify(incidents))
  assert.match(
    own.map(({ summary }: Incident) => summary).join(),
    /columns\.csv .* was picked up\. It waits for a person/,
  )
  // One person imports what the approved source has brought; what was refused is discarded.
  const confirmed = await anna.call('POST', `/statements/${waiting.statementId}/confirm`)
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  const refused = named(picked, 'letter.txt')
  assert.equal((await anna.call('POST', `/statements/${refused.statementId}/discard`)).status, 200)
  await pass()
  await service.runJobs('all')
  const { incidents: left } = (await anna.get('/alerts?open=true')).body
  assert.deepEqual(
    left.filter(({ rule }: Incident) => rule === 'pickup-waiting'),
    [],
  )
})

test('nothing is imported alone before the source is approved, nor with an account of another source', async () => {
  const unapproved = await openFolder({ approved: false })
  unapproved.put('day.xml', fileOf(unapproved.bank, {}))
  const approved = await openFolder({ hasSeveral: true })
  approved.put('other.xml', fileOf(unapproved.bank, { minor: 900_00n }))
  await approved.pass(2)
  const problems = [...(await unapproved.files()), ...(await approved.files())].map(({ problem }) => problem)
  assert.deepEqual(problems, [
    'It waits for a person: the source waits for an approval.',
    'It waits for a person: it has an account that is not one of the source.',
  ])
})

test('a source may let a person import each file, and the same content is one statement', async () => {
  const { bank, put, pass, files, statement } = await openFolder({}, {})
  put('one.xml', fileOf(bank, { minor: 150_00n }))
  put('copy.xml', fileOf(bank, { minor: 150_00n }))
  await pass(2)
  const picked = await files()
  assert.equal(picked.length, 2)
  assert.equal(new Set(picked.map(({ statementId }) => statementId)).size, 1)
  assert.equal((await statement(picked[0]?.statementId)).state, 'ready')
})

test('the first file of an account, and one that was given up before, wait for a person', async () => {
  const { bank, put, pass, files, statement, anna } = await openFolder({ isKnown: false })
  put('first.xml', fileOf(bank, { minor: 21_00n }))
  await pass(2)
  const first = named(await files(), 'first.xml')
  assert.match(first.problem ?? '', /nobody has looked at a file of its account/)
  assert.equal((await anna.call('POST', `/statements/${first.statementId}/discard`)).status, 200)
  put('again.xml', fileOf(bank, { minor: 21_00n }))
  await pass(2)
  await bank.bringAgreed(camtOf, [{ minor: 22_00n }])
  put('third.xml', fileOf(bank, { minor: 21_00n }))
  await pass(2)
  assert.match(named(await files(), 'third.xml').problem ?? '', /It waits for a person/)
  put('fourth.xml', fileOf(bank, { minor: 23_00n }))
  await pass(2)
  const { statementId } = named(await files(), 'fourth.xml')
  assert.equal((await statement(statementId)).state, 'imported')
})

test('an account that nobody has bound is refused, although the source has one requisite only', async () => {
  const { bank, put, pass, files, statement } = await openFolder()
  put('stranger.xml', camtOf({ account: '40817810099910004312', rows: [{ minor: 51_00n, date: bank.date }] }))
  await pass(2)
  const { state, faults } = await statement(named(await files(), 'stranger.xml').statementId)
  assert.equal(state, 'refused')
  assert.match(faults[0].reason, /bind the account to a requisite/)
})

test('one file that cannot be read holds up no others', async () => {
  const { bank, put, pass, files, statement, source, path } = await openFolder()
  put('good.xml', fileOf(bank, { minor: 31_00n }))
  mkdirSync(join(path, 'a-folder.xml'))
  writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff, 0xe0, 0x2e, 0x78])]), 'not UTF-8')
  await pass(2)
  const { statementId } = named(await files(), 'good.xml')
  assert.equal((await statement(statementId)).state, 'imported')
  assert.equal((await source()).pickupProblem, undefined)
})

test('nothing more is taken once the pickup was ended, nor by two looks at once', async () => {
  const { service, bank, put, pass, files, anna, at } = await openFolder()
  put('day.xml', fileOf(bank, { minor: 41_00n }))
  await pass()
  service.clock.advance(minute)
  await Promise.all([service.runJobs(), service.runJobs()])
  assert.equal((await files()).length, 1)
  put('late.xml', fileOf(bank, { minor: 42_00n }))
  await pass()
  assert.equal((await anna.call('POST', `${at}/pickup/end`)).status, 200)
  await pass(2)
  assert.equal((await files()).length, 1)
})

test('an archive is one file for each of its statements', async () => {
  const { bank, put, pass, files, statement } = await openFolder()
  const content = {
    'a.xml': fileOf(bank, { minor: 11_00n }),
    'b.xml': fileOf(bank, { minor: 12_00n }),
    'note.pdf': 'x',
  }
  put('days.zip', zipOf(content))
  put('empty.zip', zipOf({ 'note.pdf': 'x' }))
  put('broken.zip', zipOf(content).subarray(0, 200))
  await pass(2)
  const picked = await files()
  const states = await Promise.all(
    picked.map(async ({ name, problem, statementId }) => [
      name,
      statementId ? (await statement(statementId)).state : problem?.replace(/\d+/, 'N'),
    ]),
  )
  assert.deepEqual(states.toSorted(byName), [
    ['a.xml', 'imported'],
    ['b.xml', 'imported'],
    ['broken.zip', 'The archive cannot be read at byte N: it is cut off, or damaged.'],
    ['empty.zip', 'The archive has no file that may be a statement.'],
  ])
})

test('no folder outside of the one for pickups is read', async () => {
  const { service, bank } = await openFolder()
  const anna = openOperator(service, 'anna')
  symlinkSync('/etc', join(root, 'out'))
  const added = await anna.call('POST', '/statement-sources', { name: 'escape', requisiteIds: [bank.requisiteId] })
  const at = `/statement-sources/${added.body.id}/pickup`
  for (const address of [
    'folder:../etc',
    'folder:/etc',
    'folder:a/../../etc',
    'folder:',
    'file:///etc',
    'https://a@b/c',
  ])
    assertProblem(await anna.call('PUT', at, { address }), 400, 'validation_failed')
  const set = await anna.call('PUT', at, { address: 'folder:out' })
  assert.equal(set.status, 200)
  service.clock.advance(minute)
  await service.runJobs()
  const { sources: listed } = (await anna.get('/statement-sources')).body
  assert.equal(
    listed.find(({ name }: { name: string }) => name === 'escape').pickupProblem,
    'out is not in the folder for pickups',
  )
  assert.equal((await anna.call('POST', `${at}/end`)).status, 200)
})

const mail = (from: string, results: string | undefined, name: string, content: string): string[] => [
  ...(results === undefined ? [] : [`Authentication-Results: ${results}`]),
  ...[`From: A bank <${from}>`, 'To: reports@localhost', 'Subject: Statement', 'MIME-Version: 1.0'],
  ...['Content-Type: multipart/mixed; boundary="b"', '', '--b', 'Content-Type: text/plain', '', 'Good day!', '--b'],
  ...[`Content-Type: application/octet-stream; name="${name}"`, 'Content-Transfer-Encoding: base64'],
  ...[`Content-Disposition: attachment; filename="${name}"`, ''],
  ...(Buffer.from(content)
    .toString('base64')
    .match(/.{1,76}/g) ?? []),
  ...['--b--', ''],
]

test('mails are read whose sender is wanted and proven, each once', { skip: withoutMailboxes() ?? false }, async () => {
  const mailbox = await startMailbox()
  after(() => mailbox.stop())
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), mailbox.certificate])
  const { bank, pass, files, statement, source, anna, at } = await openPickup({
    address: mailbox.address,
    senders: ['statements@bank.example', '@other.example'],
    checkedBy: 'mx.payin.test',
    secret: 'secret',
    importsAlone: true,
  })
  const passed = 'mx.payin.test; spf=pass smtp.mailfrom=x; dkim=pass (ok) header.d=bank.example; dmarc=fail'
  const send = (from: string, results: string | undefined, minor: bigint) =>
    mailbox.deliver(mail(from, results, `${minor}.xml`, fileOf(bank, { minor })))
  send('statements@bank.example', passed, 1000n)
  send('info@other.example', 'mx.payin.test; dmarc=pass header.from=other.example', 2000n)
  send('stranger@elsewhere.example', passed, 3000n)
  send('statements@bank.example', undefined, 4000n)
  send('statements@bank.example', 'mx.payin.test; dkim=pass header.d=forger.example', 5000n)
  send('statements@bank.example', 'mx.forger.example; dkim=pass header.d=bank.example', 6000n)
  await pass()
  assert.equal((await source()).pickupProblem, undefined)
  const picked = await files()
  const found = await Promise.all(
    picked.map(async ({ name, statementId }) => [name, statementId && (await statement(statementId)).state]),
  )
  assert.deepEqual(found.toSorted(byName), [
    ['1000.xml', 'imported'],
    ['2000.xml', 'imported'],
    ['4000.xml', undefined],
    ['5000.xml', undefined],
    ['6000.xml', undefined],
  ])
  assert.match(named(picked, '4000.xml').problem ?? '', /does not say that the mail is really from/)
  await pass()
  assert.equal((await files()).length, 5)
  await anna.call('PUT', `${at}/pickup`, {
    ...{ address: mailbox.address, senders: ['@bank.example'], checkedBy: 'mx.payin.test', secret: 'wrong' },
  })
  await pass()
  assert.equal((await source()).pickupProblem, 'the mail server does not accept the user or the password')
  await anna.call('POST', `${at}/pickup/end`)
})

test('files of an SFTP server are read whose key is the one that was stated', {
  skip: withoutSftp() ?? false,
}, async () => {
  const server = await startSftp()
  after(() => server.stop())
  const { address, hostKey, privateKey: secret } = server
  const { bank, pass, files, statement, source, anna, at } = await openPickup({
    ...{ address, hostKey, secret, importsAlone: true },
  })
  writeFileSync(join(server.folder, 'day.xml'), fileOf(bank, { minor: 77_00n }))
  await pass(2)
  assert.equal((await source()).pickupProblem, undefined)
  const [picked] = await files()
  assert.equal((await statement(picked?.statementId)).state, 'imported')
  const other = `SHA256:${'A'.repeat(43)}`
  await anna.call('PUT', `${at}/pickup`, { address, hostKey: other, secret })
  await pass()
  assert.equal((await source()).pickupProblem, `the SFTP server has another key: ${hostKey}`)
  await anna.call('POST', `${at}/pickup/end`)
})
