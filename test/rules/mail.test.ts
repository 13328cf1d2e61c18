import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAnswer, isProvenSender, isWantedSender, readMailHeaders, senderOf } from '../../src/rules/statements/mail.ts'

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
  [false, 'mx.test; dkim=pass header.i=x\u00a0header.d=bank.example\u00a0@evil.example'],
  [false, 'mx.test; spf=pass smtp.mailfrom=a\u2028b; dkim=pass header.d=bank.example'],
  [false, 'mx.test; spf=pass smtp.mailfrom=a\rb; dkim=pass header.d=bank.example'],
  // What the server has added comes first.
  [false, 'mx.test; dkim=fail header.d=bank.example', 'mx.test; dkim=pass header.d=bank.example'],
]

test('only the mail server itself says that a sender is real', () => {
  for (const [isProven, ...results] of cases)
    assert.equal(isProvenSender('statements@bank.example', results, 'mx.test'), isProven, results.join(' | '))
  assert.ok(isProvenSender('a@sub.bank.example', ['mx.test; dkim=pass header.d=bank.example'], 'mx.test'))
})

test('no header of the mail server is left out, whatever it repeats of what a stranger has written', () => {
  const forged = 'Authentication-Results: mx.test; dkim=pass header.d=bank.example'
  for (const sign of ['', '\u2028', '\u2029', '\r', '\v', '\0', '\ufffd']) {
    const own = `Authentication-Results: mx.test; dkim=none;\r\n\tspf=pass smtp.mailfrom=a${sign}b@forger.example`
    const headers = readMailHeaders([own, 'From: a@b', forged, ''].join('\r\n'))
    const results = headers.get('authentication-results') ?? []
    assert.equal(results.length, 2, JSON.stringify(sign))
    assert.ok(results[0]?.includes('dkim=none; spf=pass'))
    assert.ok(!isProvenSender('statements@bank.example', results, 'mx.test'), JSON.stringify(sign))
  }
})

test('a mail has one sender, which is the address after its name', () => {
  for (const from of [
    'statements@bank.example',
    ' <statements@bank.example> ',
    'Bank <statements@bank.example>',
    'statements@bank.example <statements@bank.example>',
    '"Bank, \\"the\\" <a@forger.example>" <statements@bank.example>',
    '=?utf-8?B?0JHQsNC90Lo=?= (of Volga) <statements@bank.example>',
  ])
    assert.equal(senderOf(new Map([['from', [from]]])), 'statements@bank.example', from)
  for (const from of [
    [],
    [''],
    ['a@bank.example', 'b@bank.example'],
    ['a@bank.example, b@forger.example'],
    ['<a@bank.example> <b@forger.example>'],
    ['Bank <a@bank.example>, <b@forger.example>'],
    ['"Bank <a@bank.example>'],
    ['"a"@bank.example'],
    ['<@forger.example:a@bank.example>'],
    ['a@b@bank.example'],
    ['undisclosed:;'],
  ])
    assert.equal(senderOf(new Map([['from', from]])), undefined, from.join(' | '))
  assert.equal(senderOf(readMailHeaders('From: "statements@bank.example" <a@forger.example>')), 'a@forger.example')
})

test('bounces and replies answer another mail, and what a bank’s program has sent does not', () => {
  for (const header of ['In-Reply-To: <1@x>', 'Auto-Submitted: auto-replied (vacation)', 'Return-Path: <>'])
    assert.ok(isAnswer(readMailHeaders(`From: a@b\r\n${header}\r\n`)), header)
  for (const header of ['In-Reply-To: ', 'Auto-Submitted: no', 'Auto-Submitted: auto-generated', 'Return-Path: <a@b>'])
    assert.ok(!isAnswer(readMailHeaders(`From: a@b\r\n${header}\r\n`)), header)
})
