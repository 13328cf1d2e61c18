// What a file says about a row is kept, and a row that is not booked is not read as booked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { camt, csv, details, entry, ofx } from './support/short-files.ts'
import { readFile } from './support/read-file.ts'

const account = 'DE32500105170000000007'
const day = '2026-11-23'

const read = async (file: (account: string) => string) => {
  const { rows, faults } = await readFile(Buffer.from(file(account)))
  assert.deepEqual(faults, [])
  return rows.map(({ kind, counterparty, text }) => [kind, counterparty.name, text].filter(Boolean).join('|'))
}

test('OFX: all memos, and an extended name', async () => {
  const rows = [
    `${day} 10.00 REFERENCE-1 <NAME>PAYPAL<EXTDNAME>Anna Berg order-7<MEMO>first<MEMO>second<MEMO2>third`,
    `${day} 11.00 REFERENCE-2 <NAME>Bert Cohn-Andre<EXTDNAME>Bert Cohn-Andresen<MEMO>order-8`,
    `${day} 12.00 REFERENCE-3 <NAME>Carl<MEMO>of Carl Dorn<EXTDNAME>Carl Dorn, Berlin`,
    `${day} 13.00 REFERENCE-4 <NAME>Emil<MEMO>paid: order-9<EXTDNAME>order-9`,
  ]
  assert.deepEqual(await read(ofx(...rows)), [
    'booked|PAYPAL|first second third Anna Berg order-7',
    'booked|Bert Cohn-Andresen|order-8',
    'booked|Carl Dorn, Berlin|of Carl Dorn',
    'booked|Emil|paid: order-9',
  ])
})

test('a table: a description next to a memo, but not next to a purpose', async () => {
  const ofMemo = csv('Date;Amount;Description;Memo', `${day};+10.00;TRANSFER;order-7`, `${day};-1.00;FEE;`)
  assert.deepEqual(await read(ofMemo), ['booked|TRANSFER order-7', 'booked|FEE'])
  const ofPurpose = csv('Date;Amount;Description;Purpose', `${day};+10.00;TRANSFER;order-7`, `${day};-1.00;FEE;x`)
  assert.deepEqual(await read(ofPurpose), ['booked|order-7', 'booked|x'])
})

test('camt: the note of an entry next to the text of its only payment', async () => {
  const note = '<AddtlNtryInf>Credit, order-7</AddtlNtryInf>'
  const paid = (text: string): string => details(`<RmtInf><Ustrd>${text}</Ustrd></RmtInf>`)
  const notes = ['thanks', 'order-7', 'Credit, order-7 (again)'].map((text) => entry(day, '10.00', paid(text) + note))
  assert.deepEqual(await read(camt('053', ...notes)), [
    'booked|thanks Credit, order-7',
    'booked|Credit, order-7',
    'booked|Credit, order-7 (again)',
  ])
})

test('German savings banks say next to each row whether it is booked', async () => {
  const rows = ['GUTSCHRIFT;order-7;10,00;Umsatz gebucht', 'GUTSCHRIFT;order-8;11,00;Umsatz vorgemerkt']
  const file = csv(
    'Buchungstag;Buchungstext;Verwendungszweck;Betrag;Info',
    ...[...rows, 'ENTGELT;fee;-1,00;Umsatz gebucht'].map((row) => `23.11.26;${row}`),
  )
  assert.deepEqual(await read(file), ['booked|order-7', 'pending|order-8', 'booked|fee'])
})
