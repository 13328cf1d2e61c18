// Rules of what the payer's page shows and takes: links, payment codes, receipts, claims, colours.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fillBankLink, isBankLink } from '../../src/rules/payments/bank-guide.ts'
import { checkRecipient, noRecipient } from '../../src/rules/requisites/recipient.ts'
import { methodRules } from '../../src/rules/values/payment-method.ts'
import type { BankIssuer } from '../../src/engine/requisites/bank-issuers.ts'
import { nameBank } from '../../src/http/payment-page/offer-banks.ts'
import { pageState } from '../../src/http/payment-page/page-state.ts'
import { bankTransferCode } from '../../src/rules/requisites/bank-transfer-code.ts'
import { isClaimTime, mayClaim, maySendReceipt, type Payment } from '../../src/rules/payments/payment.ts'
import { endOfTime } from '../../src/rules/payments/receive-money.ts'
import { readReceiptType } from '../../src/rules/payments/receipt.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import { accentStyle, contrast, inkOn, readableAccent } from '../../src/http/payment-page/accent.ts'
import { dictionaries, locales } from '../../src/http/payment-page/languages.ts'
import { english } from '../../src/http/payment-page/english.ts'
import { readClaim } from '../../src/http/payment-page/read-claim.ts'
import { payment, start } from '../support/builders.ts'

const links: readonly (readonly [link: string, accepted: boolean])[] = [
  ['https://bank.example/pay?phone={number}&sum={amount}', true],
  ['bank100000000111://transfer/{number}', true],
  ['sberbankonline://payments', true],
  ['http://bank.example/', false],
  ['javascript:alert(1)', false],
  ['JavaScript:alert(1)', false],
  ['data:text/html,x', false],
  ['intent://x#Intent;end', false],
  ['tel:{number}', false],
  ['facetime://{number}', false],
  ['itms-apps://x', false],
  ['market://details', false],
  ['paypal:x', false],
  ['//bank.example/', false],
  ['/pay', false],
  ['https://user:password@bank.example/', false],
  ['https://bank.example/{name}', false],
  ['https://bank.example/ x', false],
  ['c:/windows', false],
  ['', false],
]

for (const [link, accepted] of links) {
  test(`the link ${link || '(nothing)'} is ${accepted ? 'taken' : 'refused'}`, () => {
    assert.equal(isBankLink(link), accepted)
  })
}

test('a link carries the amount and the number, escaped', () => {
  const link = fillBankLink('https://bank.example/?p={number}&s={amount}', { amount: '5000.37', number: '+7999' })
  assert.equal(link, 'https://bank.example/?p=%2B7999&s=5000.37')
})

test('a payment code is written as GOST R 56042 has it, without separators in its values', () => {
  const code = bankTransferCode({
    name: 'ООО «Книжный|двор»\n',
    account: '40702810123456789012',
    bankName: 'Публичное акционерное общество «Очень длинный банк России»',
    bic: '044525225',
    correspondentAccount: '30101810400000000225',
    sum: 500_037n,
    purpose: 'Заказ 1|Sum=1',
    inn: '1234567894',
    kpp: null,
  })
  assert.equal(
    code,
    'ST00012|Name=ООО «Книжный двор»|PersonalAcc=40702810123456789012|BankName=Публичное акционерное общество «Очень длинный|BIC=044525225|CorrespAcc=30101810400000000225|Sum=500037|Purpose=Заказ 1 Sum=1|PayeeINN=1234567894',
  )
})

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const files: readonly (readonly [title: string, content: Uint8Array, type: string | undefined])[] = [
  ['a PNG', bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR…'), 'image/png'],
  ['a PNG without its header', bytes('\x89PNG\r\n\x1a\n'), undefined],
  ['a JPEG', bytes('\xff\xd8\xff\xe0'), 'image/jpeg'],
  ['a WebP', bytes('RIFF\x10\0\0\0WEBPVP8 '), 'image/webp'],
  ['another RIFF file', bytes('RIFF\x10\0\0\0WAVEfmt '), undefined],
  ['a photo of an iPhone', bytes('\0\0\0\x24ftypheic\0\0\0\0mif1heic'), 'image/heic'],
  ['a film of an iPhone', bytes('\0\0\0\x14ftypqt  \0\0\0\0qt  '), undefined],
  ['a PDF', bytes('%PDF-1.7'), 'application/pdf'],
  ['a PDF behind a page', bytes('<html>%PDF-1.7'), undefined],
  ['an SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg">'), undefined],
  ['a GIF', bytes('GIF89a'), undefined],
  ['nothing', bytes(''), undefined],
]

for (const [title, content, type] of files) {
  test(`${title} is ${type ?? 'no receipt'}`, () => assert.equal(readReceiptType(content), type))
}

const after = start + 31 * minute
const claimable: readonly (readonly [title: string, fields: Partial<Payment>, claim: boolean, receipt: boolean])[] = [
  ['new and in time', { expiredAt: after + 1 }, false, false],
  ['new and out of time', {}, true, true],
  ['expired', { status: 'expired' }, true, true],
  ['expired and never shown', { status: 'expired', requisiteShown: false }, false, false],
  ['canceled', { status: 'canceled' }, true, true],
  ['failed', { status: 'failed' }, true, true],
  ['claimed by "I have paid"', { status: 'processing', claimedAt: start }, false, true],
  ['partly paid', { status: 'processing', received: 1n }, false, true],
  ['under review', { status: 'disput', received: 1n }, false, true],
  ['paid', { status: 'paid', received: 500_000n }, false, false],
]

for (const [title, fields, claim, receipt] of claimable) {
  test(`the payer of a payment that is ${title} may ${claim ? '' : 'not '}claim`, () => {
    assert.deepEqual([mayClaim(payment(fields), after), maySendReceipt(payment(fields), after)], [claim, receipt])
  })
}

test('a closed payment takes claims and receipts for a month after its late window, an open one as long as it is open', () => {
  const end = start + 30 * minute + 15 * minute + 24 * hour + 30 * day
  const expired = payment({ status: 'expired' })
  for (const [now, may] of [
    [end - 1, true],
    [end, false],
  ] as const) {
    assert.deepEqual([mayClaim(expired, now), maySendReceipt(expired, now)], [may, may])
    assert.equal(maySendReceipt(payment({ status: 'disput', received: 1n }), now), true)
  }
})

test('a receipt takes a claimed payment to review at its deadline, without one it expires', () => {
  const claimed = { status: 'processing', claimedAt: start } as const
  const deadline = start + 3 * hour
  assert.equal(endOfTime(payment(claimed), deadline)?.to, 'expired')
  assert.deepEqual(endOfTime(payment({ ...claimed, receiptAt: start }), deadline), {
    to: 'disput',
    trigger: 'receipt-at-deadline',
    reason: 'receipt',
  })
})

test('a claim is read as people write it, in the zone of the account or of its payer', () => {
  const now = start + hour
  const paidAt = '2026-01-31T15:10'
  const read = (amount: string, time = paidAt, zone?: string) =>
    readClaim({ amount, paidAt: time, zone }, payment(), 180, now)
  for (const amount of ['5000.37', '5000,37', '5 000,37', '5\u00a0000,37 ₽']) {
    assert.deepEqual(read(amount), { amount: 500_037n, paidAt: start + 10 * minute })
  }
  for (const amount of ['', '0', '-5', '1e3', '5000.371', 'five', '150,000', '9'.repeat(30)]) {
    assert.deepEqual(read(amount), { amount, paidAt, fields: ['amount'] })
  }
  assert.deepEqual(read('x', 'yesterday'), { amount: 'x', paidAt: 'yesterday', fields: ['amount', 'paidAt'] })
  assert.deepEqual(read('1', '2026-01-31T22:10', '600'), { amount: 100n, paidAt: start + 10 * minute })
  for (const [paid, isZoneKnown, fits] of [
    [start - 2 * day, false, false],
    [now + 2 * day, false, false],
    [now + 3 * hour, false, true],
    [now + 3 * hour, true, false],
    [now + 5 * minute, true, true],
  ] as const) {
    assert.equal(isClaimTime(payment(), paid, now, isZoneKnown), fits)
  }
})

test('what staff have not found is said, whoever asked for it, until its payer claims it', () => {
  const rejected: Partial<Payment> = { status: 'expired', statusReason: 'rejected', changedAt: after }
  for (const [fields, state] of [
    [{}, 'rejected'],
    [{ claimReceivedAt: after - 1 }, 'rejected'],
    [{ claimReceivedAt: after + 1 }, 'claimed'],
    [{ status: 'paid' }, 'paid'],
    [{ statusReason: 'timeout' }, 'expired'],
  ] as const) {
    assert.equal(pageState(payment({ ...rejected, ...fields }), after + 2), state)
  }
})

test('a bank has its name in Latin letters where the language has them', () => {
  const bank = { code: 'b', name: 'Сбербанк', aliases: ['Сбер', 'Sberbank', 'Sber'] } as unknown as BankIssuer
  for (const [locale, aliases, name] of [
    ['ru', bank.aliases, 'Сбербанк'],
    ['kk', bank.aliases, 'Сбербанк'],
    ['en', bank.aliases, 'Sberbank'],
    ['uz', bank.aliases, 'Sberbank'],
    ['en', ['Сбер'], 'Сбербанк'],
  ] as const) {
    assert.equal(nameBank({ ...bank, aliases: [...aliases] }, locale).name, name)
  }
})

test('a requisite has a static SBP link without an amount, in roubles', () => {
  const link = `https://qr.nspk.ru/AS${'1'.repeat(30)}`
  for (const [sbpLink, method, currency, isTaken] of [
    [link, 'sbp', 'rub', true],
    [`${link}?type=01&bank=100000000111&crc=F3D0`, 'account-to-account', 'rub', true],
    [link, 'card-to-card', 'rub', false],
    [link, 'account-to-account', 'kzt', false],
    [`${link}?type=01&sum=10000&cur=RUB`, 'sbp', 'rub', false],
    [link.replace('/AS', '/AD'), 'sbp', 'rub', false],
    [link.replace('nspk.ru', 'nspk.ru.example'), 'sbp', 'rub', false],
    [link.replace('https', 'http'), 'sbp', 'rub', false],
    [`${link}#"><script>`, 'sbp', 'rub', false],
  ] as const) {
    const requisite = { method, currency, number: methodRules[method].madeUpNumber(1) }
    const faults = checkRecipient({ ...noRecipient, sbpLink }, requisite, undefined)
    assert.deepEqual(
      faults.map(({ field }) => field),
      isTaken ? [] : ['sbpLink'],
      `${sbpLink} ${method} ${currency}`,
    )
  }
})

test('no text names a shop where the payer of a link goes on, in any language', () => {
  for (const locale of locales) {
    const words = dictionaries[locale]
    const { expired, expiredUnseen, expiredLong, canceledByPayer, failed, checking } = words
    const first = [expired, expiredUnseen, expiredLong, canceledByPayer, failed].map(({ lines }) => lines[0])
    const paid = [words.paid('7'), words.nearlyPaid('7', '8')].flatMap(({ lines }) => lines)
    for (const text of [...first, ...checking.lines, ...paid, ...words.links.replaced.lines])
      assert.doesNotMatch(text ?? 'nothing', /nothing|shop|магазин|дүкен|мағоза|doʻkon/i, locale)
    assert.match(words.links.unclear('1,500', '1500', '1,50'), /1,500.*1500.*1,50\.$/, locale)
  }
})

type Fill = (...values: string[]) => unknown

/** Replaces each text by the values that it shows, of those that its English source takes. */
const outline = (texts: unknown, source: unknown): unknown => {
  if (typeof source === 'function') {
    const values = Array.from({ length: source.length }, (_, index) => `<${index}>`)
    const filled = (texts as Fill)(...values)
    const shown = JSON.stringify(filled)
    return { texts: outline(filled, filled), shown: values.filter((value) => shown.includes(value)) }
  }
  if (typeof texts === 'string') return texts === '' ? 'empty' : 'text'
  const sources = source as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(texts as object).map(([key, text]) => [key, outline(text, sources[key])]))
}

test('every language has the texts of the English page, and shows each value that they take', () => {
  for (const locale of locales) {
    assert.deepEqual(outline(dictionaries[locale], english), outline(english, english), locale)
    assert.doesNotMatch(JSON.stringify(dictionaries[locale]), /\{\d\}/, locale)
  }
})

test('whatever colour a merchant chooses, its words can be read in both themes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), fc.constantFrom('light', 'dark'), (value, theme) => {
      const colour = `#${value.toString(16).padStart(6, '0')}`
      const accent = readableAccent(colour, theme)
      const backs = theme === 'light' ? ['#ffffff', '#f4f7fb', '#f2f4f7'] : ['#19212a', '#202a35', '#0f141a']
      for (const back of backs) assert.ok(contrast(accent, back) >= 4.5, `${accent} on ${back}`)
      assert.ok(contrast(colour, inkOn(colour)) >= 4.5, `${inkOn(colour)} on ${colour}`)
    }),
  )
})

test('fills keep the colour of a merchant in both themes; one that is hardly seen gets an edge', () => {
  for (const [colour, ink, light, dark] of [
    ['#ffcc00', '#000000', '#ffcc00', '#ffcc00'],
    ['#1a56c4', '#ffffff', '#1a56c4', '#1a56c4'],
    ['#ffffff', '#000000', '#666666', '#ffffff'],
    ['#000000', '#ffffff', '#000000', '#999999'],
  ] as const) {
    const style = accentStyle(colour)
    assert.equal(style.match(new RegExp(`--fill:${colour};--fill-ink:${ink};`, 'g'))?.length, 2, style)
    assert.deepEqual(
      [...style.matchAll(/--fill-edge:(#\w+)/g)].map((found) => found[1]),
      [light, dark],
    )
  }
})
