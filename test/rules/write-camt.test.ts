// The two camt.053 files that we write have the elements of version 001.02 in their order, all that must be there, and no
// longer texts than it allows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Movement, statementToCamt } from '../../src/rules/money/account-statement.ts'
import type { SimulatedStatement } from '../../src/rules/sandbox/simulated-statement.ts'
import { writeCamt } from '../../src/rules/sandbox/write-camt.ts'

/** An element: its children, or its text. */
type Element = { readonly name: string; readonly children: Element[]; text: string }

/** Children in their order: `?` may be missing, `*` may also repeat, `+` must be there and may repeat. `a|b` is one of them. */
const children: Readonly<Record<string, string>> = {
  BkToCstmrStmt: 'GrpHdr Stmt+',
  GrpHdr: 'MsgId CreDtTm',
  Stmt: 'Id CreDtTm FrToDt? Acct Bal+ Ntry*',
  FrToDt: 'FrDtTm ToDtTm',
  Acct: 'Id Ccy? Ownr?',
  'Acct/Id': 'Othr',
  Othr: 'Id',
  Ownr: 'Nm',
  Bal: 'Tp Amt CdtDbtInd Dt',
  Tp: 'CdOrPrtry',
  CdOrPrtry: 'Cd',
  'Bal/Dt': 'Dt|DtTm',
  Ntry: 'Amt CdtDbtInd RvslInd? Sts BookgDt? ValDt? AcctSvcrRef? BkTxCd NtryDtls* AddtlNtryInf?',
  BookgDt: 'Dt|DtTm',
  ValDt: 'Dt|DtTm',
  BkTxCd: 'Prtry',
  Prtry: 'Cd',
  NtryDtls: 'TxDtls*',
  TxDtls: 'Refs? RltdPties? RltdAgts? RmtInf?',
  Refs: 'EndToEndId',
  RltdPties: 'Dbtr',
  Dbtr: 'Nm',
  RltdAgts: 'DbtrAgt',
  DbtrAgt: 'FinInstnId',
  FinInstnId: 'Nm',
  RmtInf: 'Ustrd*',
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/
const upTo = (most: number): RegExp => new RegExp(`^[^<>]{1,${most}}$`, 'u')

/** What the texts are; the longer name goes first. */
const texts: Readonly<Record<string, RegExp>> = {
  MsgId: upTo(35),
  CreDtTm: time,
  FrDtTm: time,
  ToDtTm: time,
  DtTm: time,
  'Dt/Dt': /^\d{4}-\d\d-\d\d$/,
  'Stmt/Id': upTo(35),
  'Othr/Id': upTo(34),
  Ccy: /^[A-Z]{3}$/,
  Nm: upTo(140),
  'CdOrPrtry/Cd': /^(?:OPBD|CLBD)$/,
  'Prtry/Cd': upTo(35),
  // 18 digits in all, at most five of them after the point.
  Amt: /^(?=(?:\D*\d){1,18}$)\d+(?:\.\d{1,5})?$/,
  CdtDbtInd: /^(?:CRDT|DBIT)$/,
  RvslInd: /^true$/,
  Sts: /^BOOK$/,
  AcctSvcrRef: upTo(35),
  EndToEndId: upTo(35),
  Ustrd: upTo(140),
  AddtlNtryInf: upTo(500),
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '‹')
    .replaceAll('&gt;', '›')
    .replaceAll(/&quot;/g, '"')
    .replaceAll('&amp;', '&')

const parse = (xml: string): Element => {
  const root: Element = { name: '', children: [], text: '' }
  const open = [root]
  for (const [, end, name = '', , text = ''] of xml.matchAll(/<(\/?)([A-Za-z]+)((?: [^>]*)?)>([^<]*)/g)) {
    if (end) {
      assert.equal(open.pop()?.name, name)
      continue
    }
    const element = { name, children: [], text: unescaped(text.replace(/^\n/, '')) }
    open.at(-1)?.children.push(element)
    open.push(element)
  }
  assert.equal(open.length, 1)
  return root
}

const faultsOf = ({ name, children: found, text }: Element, parent = ''): string[] => {
  const here = `${parent}/${name}`
  const order = children[here] ?? children[name]
  if (found.length === 0) {
    const form = texts[here] ?? texts[name]
    return form?.test(text) ? [] : [`${here}: ${text}`]
  }
  const names = found.map((each) => `${each.name} `).join('')
  const form = (order ?? '').replace(
    /(\S+?)([?*+]?)(?: |$)/g,
    (_, word: string, often: string) => `(?:(?:${word}) )${often}`,
  )
  const own = new RegExp(`^${form}$`).test(names) ? [] : [`${here}: ${names}`]
  return [...own, ...found.flatMap((each) => faultsOf(each, name))]
}

const faults = (xml: string): string[] => {
  const [document] = parse(xml).children
  assert.match(
    xml,
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.02">/,
  )
  return (document?.children ?? []).flatMap((each) => faultsOf(each))
}

const at = Date.parse('2026-01-31T12:30:00.000Z')
const longText = 'ООО «Пример» <&"> '.repeat(30)
const booking = {
  id: 'b1',
  amount: 5000_01n,
  kind: 'receipt',
  text: null,
  reference: 'SB0123456789ABCD',
  bookedAt: at,
} as const
const simulated: SimulatedStatement = {
  ...{ account: '40817810000000000001', holder: longText, currency: 'rub', day: '2026-01-31', utcOffsetMinutes: 180 },
  ...{ opening: -5n, closing: -5n, bookings: [booking, { ...booking, kind: 'reversal' }] },
}

test('that of the simulated bank', () => {
  const ofYen = { ...simulated, currency: 'jpy', account: '79991234567', bookings: [] }
  assert.deepEqual(faults([...writeCamt([simulated, ofYen], at)].join('')), [])
})

test("that of a merchant's account", async () => {
  const moved = (kind: string, orderId: string | null): Movement =>
    ({
      kind,
      change: 1_234_567n,
      orderId,
      reference: longText,
      deducted: 5n,
      postedAt: at,
      id: crypto.randomUUID(),
    }) as Movement
  const movements = [moved('credit', longText), moved('reverse', null), moved('hold', null)]
  const whole = {
    ...{
      merchantId: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
      merchantName: longText,
      currency: 'USDT',
      from: 0,
      to: at,
    },
    ...{ opening: -(10n ** 18n), closing: -(10n ** 18n) + 3_703_701n },
  }
  const each = async function* (): AsyncGenerator<Movement> {
    yield* movements
  }
  const written = (await Array.fromAsync(statementToCamt(whole, each(), 'USD'))).join('')
  assert.deepEqual(faults(written), [])
})

test('control: what is missing, too long or in another order is found', () => {
  const right = [...writeCamt([simulated], at)].join('')
  for (const [part, wrong] of [
    [/<MsgId>.*?<\/MsgId>/, ''],
    [/(<RvslInd>true<\/RvslInd>)(<Sts>BOOK<\/Sts>)/, '$2$1'],
    [/<Sts>BOOK<\/Sts>/, ''],
    [/(<BkTxCd>.*?<\/BkTxCd>)(<NtryDtls>.*?<\/NtryDtls>)/, '$2$1'],
    [/<Bal>[^]*<\/Bal>\n/, ''],
    [/SB0123456789ABCD/, 'x'.repeat(36)],
    [/<Dt>2026-01-31<\/Dt>/, '<Dt>31.01.2026</Dt>'],
  ] as const)
    assert.equal(faults(right.replace(part, wrong)).length, 1, String(part))
})
