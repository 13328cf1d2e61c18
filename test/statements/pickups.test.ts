// Files that come by themselves: from a folder and an SFTP server (sshd).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pickUpFiles } from '../../src/engine/statements/pickups/pick-up-files.ts'
import { startJobs } from '../../src/process/jobs/jobs.ts'
import { minute } from '../../src/rules/time.ts'
import { zipOf } from '../../packages/bank-files/test/support/workbooks.ts'
import { startSftp, withoutSftp } from '../support/file-servers.ts'
import { openOperator } from '../support/operator.ts'
import { byName, fileOf, named, openPickup } from '../support/pickups.ts'
import { assertProblem } from '../support/problem.ts'
import { startRefusingSftp } from '../support/refusing-sftp.ts'
import { shareService } from '../support/shared-service.ts'
import { camtOf, csvOf } from '../support/statement-files.ts'
import { until } from '../support/waiting.ts'

const root = mkdtempSync(join(tmpdir(), 'payin-pickups-'))
after(() => rmSync(root, { recursive: true, force: true }))
const opened = shareService({
  environment: { PAYIN_PICKUP_FOLDER: root, PAYIN_OUTBOUND_LOOPBACK: 'on' },
  mayLogErrors: true,
})

type Incident = { rule: string; summary: string }
let folders = 0

const openFolder = async (options = {}, given: object = { importsAlone: true }) => {
  const folder = `bank-${++folders}`
  mkdirSync(join(root, folder))
  const pickup = await openPickup(opened(), { address: `folder:${folder}`, ...given }, options)
  return {
    ...pickup,
    path: join(root, folder),
    put: (name: string, content: string | Buffer) => writeFileSync(join(root, folder, name), content),
  }
}

test('a file in a folder is imported once it has not changed between two looks', async () => {
  const { name: ofSource, bank, put, pass, files, statement, source } = await openFolder()
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
    { name: 'day.xml', origin: `bank-${folders}/day.xml`, problem: undefined },
  )
  const { state, counts, uploadedBy, confirmedBy } = await statement(picked.statementId)
  assert.deepEqual(
    [state, counts.new, uploadedBy, confirmedBy],
    ['imported', 2, `source:${ofSource}`, `source:${ofSource}`],
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

test('files of an SFTP server are read whose key is the one that was stated', {
  skip: withoutSftp() ?? false,
}, async () => {
  const server = await startSftp()
  after(() => server.stop())
  const { address, hostKey, privateKey: secret } = server
  const { bank, pass, files, statement, source, anna, at } = await openPickup(opened(), {
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

test('a file that the SFTP user may not read holds up no others', async () => {
  const listed = new Map<string, Buffer | 'refused'>([['a.xml', 'refused']])
  const server = await startRefusingSftp(listed)
  after(() => server.stop())
  const { address, hostKey } = server
  const { bank, pass, files, source, anna, at } = await openPickup(opened(), { address, hostKey, secret: 'secret' })
  listed.set('b.xml', Buffer.from(fileOf(bank, { minor: 78_00n })))
  await pass(3)
  assert.deepEqual(
    (await files()).map(({ name }) => name),
    ['b.xml'],
  )
  assert.match((await source()).pickupProblem, /^a\.xml: there is no such folder or file that the user may read/)
  await anna.call('POST', `${at}/pickup/end`)
})

test('a name with control characters is listed without them, and its file is taken', async () => {
  const { bank, put, pass, files, statement, source } = await openFolder()
  put('a\n\u0001b.xml', fileOf(bank, { minor: 81_00n }))
  put('c.zip', zipOf({ 'd\0e.xml': fileOf(bank, { minor: 82_00n }) }))
  await pass(2)
  const picked = await files()
  assert.deepEqual(picked.map(({ name, origin }) => [name, origin]).toSorted(byName), [
    ['ab.xml', `bank-${folders}/ab.xml`],
    ['de.xml', `bank-${folders}/c.zip`],
  ])
  for (const { statementId } of picked) assert.equal((await statement(statementId)).state, 'imported')
  assert.equal((await source()).pickupProblem, undefined)
})

/** A server that accepts connections, and says nothing. */
const openSilence = async () => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    pickup: { address: `sftp://payin@127.0.0.1:${port}/out`, hostKey: `SHA256:${'A'.repeat(43)}`, secret: 'secret' },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A folder that is looked at, and a server that never answers, which is due before it. */
const openSlowAndQuick = async (options = {}) => {
  const silence = await openSilence()
  after(silence.close)
  const quick = await openFolder()
  const slow = await openPickup(opened(), silence.pickup, options)
  opened().clock.advance(minute)
  const { pickedUpAt } = await quick.source()
  return { slow, quickWasSeen: async () => (await quick.source()).pickedUpAt !== pickedUpAt }
}

test('pickups that only one person has set up come after the others, and end sooner', async () => {
  const { slow, quickWasSeen } = await openSlowAndQuick({ approved: false })
  const lookOnce = () =>
    pickUpFiles(opened().context, new AbortController().signal, { approvedMs: minute, unapprovedMs: 50 })
  while (!(await quickWasSeen())) {
    assert.equal(await lookOnce(), 1)
    assert.equal((await slow.source()).pickedUpAt, undefined)
  }
  while ((await slow.source()).pickedUpAt === undefined) assert.equal(await lookOnce(), 1)
  assert.equal((await slow.source()).pickupProblem, 'the last look was cut off')
  await slow.anna.call('POST', `${slow.at}/pickup/end`)
})

test('a server that does not answer keeps no other pickup waiting', async () => {
  const { slow, quickWasSeen } = await openSlowAndQuick()
  const stopJobs = startJobs(opened().context)
  try {
    await until('the folder was looked at', quickWasSeen)
    assert.equal((await slow.source()).pickedUpAt, undefined)
  } finally {
    await stopJobs()
  }
  await slow.anna.call('POST', `${slow.at}/pickup/end`)
})
