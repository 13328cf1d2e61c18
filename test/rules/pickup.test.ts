import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  doubtOf,
  isProvenSender,
  isStatementName,
  isWantedSender,
  pickupFaults,
  readDepot,
} from '../../src/rules/statements/pickup.ts'

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

test('senders are whole addresses or domains', () => {
  const wanted = ['Statements@Bank.example', '@other.example']
  for (const each of ['statements@bank.example', 'anybody@OTHER.example']) assert.ok(isWantedSender(each, wanted), each)
  for (const each of ['info@bank.example', 'a@sub.other.example', 'other.example', 'a@evil-other.example'])
    assert.ok(!isWantedSender(each, wanted), each)
})

const cases: readonly (readonly [boolean, ...string[]])[] = [
  [true, 'mx.test; dkim=pass header.d=bank.example header.s=a'],
  [true, 'mx.test 1; spf=fail; dkim=fail header.d=x.example; dkim=pass (2048 bits; ok) header.i=@bank.example'],
  [true, 'MX.test; dmarc=pass (p=REJECT) header.from=bank.example'],
  [true, 'mx.test; dkim=pass header.d="bank.example"'],
  [true, 'another.test; dkim=fail', 'mx.test; dkim=pass header.d=bank.example'],
  [false],
  [false, 'mx.test; none'],
  [false, 'mx.test; dkim=pass header.d=example'],
  [false, 'mx.test; dkim=pass header.d=evilbank.example'],
  [false, 'mx.test; dkim=pass header.d=mail.bank.example'],
  [false, 'mx.test; spf=pass smtp.mailfrom=bank.example'],
  [false, 'mx.test; dmarc=pass header.from=other.example'],
  [false, 'mx.test; dkim=temperror header.d=bank.example'],
  [false, 'mx.test; x=y (dkim=pass header.d=bank.example)'],
  [false, 'mx.test; x=y (a (b) ; dkim=pass header.d=bank.example )'],
  [false, 'mx.test; x=y (a ; dkim=pass header.d=bank.example'],
  [false, 'mx.test; spf=pass smtp.mailfrom="x; dkim=pass header.d=bank.example"@evil.example'],
  [false, 'mx.test; spf=pass smtp.mailfrom="x; dkim=pass header.d=bank.example'],
  [false, String.raw`mx.test; spf=pass smtp.mailfrom="a\" ; dkim=pass header.d=bank.example \"b"@evil.example`],
  [false, 'mx.test; dkim=pass header.i="a header.d=bank.example"@evil.example'],
  [false, 'mx.test; dkim=pass header.i=@evil.example x-header.d=bank.example'],
  [false, 'mx.test.evil; dkim=pass header.d=bank.example'],
  // What the server has added comes first.
  [false, 'mx.test; dkim=fail header.d=bank.example', 'mx.test; dkim=pass header.d=bank.example'],
]

test('only the mail server itself says that a sender is real', () => {
  for (const [isProven, ...results] of cases)
    assert.equal(isProvenSender('statements@bank.example', results, 'mx.test'), isProven, results.join(' | '))
  assert.ok(isProvenSender('a@sub.bank.example', ['mx.test; dkim=pass header.d=bank.example'], 'mx.test'))
})

test('files that are no statements by their names are not taken', () => {
  for (const name of ['day.xml', 'kl_to_1c.txt', 'выписка.XLSX', 'a.pdf.csv', 'statement'])
    assert.ok(isStatementName(name), name)
  for (const name of ['day.PDF', 'smime.p7s', 'logo.png', '.hidden', 'day.xml.part', 'day.xml~'])
    assert.ok(!isStatementName(name), name)
})

const counts = { possibleDuplicates: 0, replaced: 0, replacing: 0 }
const statement = { state: 'ready', counts, mapping: null, accounts: [{ requisiteId: 'own' }] } as const
const seen = { isNew: false, isGivenUp: false }
const source = { requisiteIds: ['own', 'other'], mapping: null, changedBy: null, pickup: { importsAlone: true } }

test('whatever is not certain lets a file wait for a person', () => {
  assert.equal(doubtOf(statement, source, seen), undefined)
  assert.equal(doubtOf({ ...statement, mapping: {} }, { ...source, mapping: {} }, seen), undefined)
  const doubts: [Partial<Parameters<typeof doubtOf>[0]>, object?][] = [
    [{ state: 'refused' }],
    [{}, { pickup: { importsAlone: false } }],
    [{}, { changedBy: 'operator:anna' }],
    [{ mapping: {} }],
    [{ accounts: [{ requisiteId: 'own' }, { requisiteId: 'strange' }] }],
    [{ counts: { ...counts, possibleDuplicates: 1 } }],
    [{ counts: { ...counts, replaced: 1 } }],
    [{ counts: { ...counts, replacing: 1 } }],
  ]
  for (const [of, by = {}] of doubts)
    assert.ok(doubtOf({ ...statement, ...of }, { ...source, ...by }, seen), JSON.stringify([of, by]))
  assert.ok(doubtOf(statement, source, { ...seen, isNew: true }))
  assert.ok(doubtOf(statement, source, { ...seen, isGivenUp: true }))
})
