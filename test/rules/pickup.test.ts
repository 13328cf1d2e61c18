import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asLine, doubtOf, isStatementName, pickupFaults, readDepot } from '../../src/rules/statements/pickup.ts'

test('an address names a folder, a mailbox or a folder of a server', () => {
  assert.deepEqual(readDepot('folder:volga/files'), { kind: 'folder', path: 'volga/files' })
  const mailbox = { kind: 'imaps', host: 'mail.example', port: 993, user: 'reports@shop.example', path: 'Банк/Выписки' }
  assert.deepEqual(readDepot(`imaps://reports%40shop.example@mail.example/${encodeURI(mailbox.path)}`), mailbox)
  const server = { kind: 'sftp', host: '2001:db8::1', port: 2222, user: 'payin', path: '/out' }
  assert.deepEqual(readDepot('sftp://payin@[2001:db8::1]:2222/out'), server)
  const others = ['folder:/etc', 'folder:..', 'folder:a//b', 'folder:.ssh', 'sftp://host/out', 'sftp://u:p@host/out']
  for (const each of [
    ...others,
    'imaps://u@host/',
    'imaps://u@host/%E0%A4',
    'imap://u@host/INBOX',
    'sftp://u@host/a?b',
  ])
    assert.equal(readDepot(each), undefined, each)
})

test('a pickup says what makes its files the bank’s', () => {
  const nothing = { senders: [], checkedBy: null, hostKey: null, importsAlone: false }
  const fields = (given: Partial<Parameters<typeof pickupFaults>[0]>): string[] =>
    pickupFaults({ ...nothing, address: '', ...given }).map(([field]) => field)
  assert.deepEqual(fields({ address: 'elsewhere' }), ['address'])
  assert.deepEqual(fields({ address: 'folder:a' }), [])
  assert.deepEqual(fields({ address: 'folder:a', senders: ['a@b'], checkedBy: 'c', hostKey: 'd' }), [
    'senders',
    'checkedBy',
    'hostKey',
  ])
  assert.deepEqual(fields({ address: 'imaps://u@host/INBOX' }), ['senders', 'checkedBy'])
  assert.deepEqual(fields({ address: 'imaps://u@host/INBOX', senders: ['a@b'], checkedBy: 'c' }), [])
  assert.deepEqual(fields({ address: 'sftp://u@host/out' }), ['hostKey'])
})

test('files that are no statements by their names are not taken', () => {
  for (const name of ['day.xml', 'kl_to_1c.txt', 'выписка.XLSX', 'a.pdf.csv', 'statement'])
    assert.ok(isStatementName(name), name)
  for (const name of ['day.PDF', 'smime.p7s', 'logo.png', '.hidden', 'day.xml.part', 'day.xml~'])
    assert.ok(!isStatementName(name), name)
})

const counts = { possibleDuplicates: 0, replaced: 0, replacing: 0 }
const account = { requisiteId: 'own', numberIndexes: ['a'] }
const statement = { state: 'ready', counts, mapping: null, accounts: [account] } as const
const seen = { isNew: false, isGivenUp: false }
const pickup = { address: 'folder:bank', importsAlone: true }
const source = { requisiteIds: ['own', 'other'], mapping: null, changedBy: null, pickup }
const mapping = { columns: { date: 1, amount: 2 }, dateOrder: 'dmy', decimalMark: ',' } as const

test('whatever is not certain lets a file wait for a person', () => {
  assert.equal(doubtOf(statement, source, seen), undefined)
  assert.equal(doubtOf({ ...statement, mapping: {} }, { ...source, mapping }, seen), undefined)
  const doubts: [Partial<Parameters<typeof doubtOf>[0]>, object?][] = [
    [{ state: 'refused' }],
    [{}, { pickup: { ...pickup, importsAlone: false } }],
    [{}, { changedBy: 'operator:anna' }],
    [{ mapping: {} }],
    [{ accounts: [account, { ...account, requisiteId: 'strange' }] }],
    [{ counts: { ...counts, possibleDuplicates: 1 } }],
    [{ counts: { ...counts, replaced: 1 } }],
    [{ counts: { ...counts, replacing: 1 } }],
  ]
  for (const [of, by = {}] of doubts)
    assert.ok(doubtOf({ ...statement, ...of }, { ...source, ...by }, seen), JSON.stringify([of, by]))
  assert.ok(doubtOf(statement, source, { ...seen, isNew: true }))
  assert.ok(doubtOf(statement, source, { ...seen, isGivenUp: true }))
})

test('a table waits unless its columns, its order of dates and its decimal mark are stated', () => {
  for (const [left, of] of [
    [{}, 'columns, order of dates, and decimal mark'],
    [{ charset: 'utf-8' }, 'columns, order of dates, and decimal mark'],
    [{ ...mapping, columns: undefined }, 'columns'],
    [{ ...mapping, dateOrder: undefined }, 'order of dates'],
    [{ ...mapping, decimalMark: undefined }, 'decimal mark'],
  ] as const)
    assert.equal(
      doubtOf({ ...statement, mapping: {} }, { ...source, mapping: left }, seen),
      `its ${of} were guessed; keep the mapping at the source if it is right`,
    )
})

test('a file that came by mail waits unless it names its accounts', () => {
  const mailbox = { ...source, pickup: { ...pickup, address: 'imaps://u@host/INBOX' } }
  const unnamed = { ...statement, accounts: [account, { requisiteId: 'own', numberIndexes: [] }] }
  assert.equal(doubtOf(statement, mailbox, seen), undefined)
  assert.equal(doubtOf(unnamed, mailbox, seen), 'it came by mail, and does not name its account')
  assert.equal(doubtOf(unnamed, source, seen), undefined)
})

test('what a stranger has named is a line that can be stored', () => {
  assert.equal(asLine('a\0b\n\u0085\ud800.xml'), 'ab\ufffd.xml')
  assert.equal(asLine('выписка за май.xml'), 'выписка за май.xml')
})
