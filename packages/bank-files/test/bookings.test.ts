// Bookings of camt files that are made of several payments: how their parts are distinguished, and how large they may be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFile } from './support/read-file.ts'

type Part = { readonly amount: string; readonly reference?: string; readonly uetr?: string }

const partOf = ({ amount, reference, uetr }: Part): string =>
  `<TxDtls><Refs>${reference === undefined ? '' : `<AcctSvcrRef>${reference}</AcctSvcrRef>`}${
    uetr === undefined ? '' : `<UETR>${uetr}</UETR>`
  }</Refs><Amt Ccy="RUB">${amount}</Amt></TxDtls>`

const file = (amount: string, parts: readonly Part[], more = ''): string =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>
<Acct><Id><Othr><Id>A</Id></Othr></Id></Acct>
<Ntry><Amt Ccy="RUB">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
<BookgDt><Dt>2026-01-30</Dt></BookgDt><AcctSvcrRef>BANKREF-ENTRY</AcctSvcrRef>${more}
<NtryDtls>${parts.map(partOf).join('')}</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`

const cases: readonly (readonly [string, readonly Part[], readonly string[]])[] = [
  ['none', [{ amount: '1.00' }, { amount: '2.00' }], ['BANKREF-ENTRY/1', 'BANKREF-ENTRY/2']],
  [
    'the reference of the booking',
    [
      { amount: '1.00', reference: 'BANKREF-ENTRY' },
      { amount: '2.00', reference: 'BANKREF-ENTRY' },
    ],
    ['BANKREF-ENTRY/1', 'BANKREF-ENTRY/2'],
  ],
  [
    'one reference for some of them',
    [
      { amount: '1.00', reference: 'BANKREF-X' },
      { amount: '1.00', reference: 'BANKREF-X' },
      { amount: '1.00', reference: 'BANKREF-Y' },
    ],
    ['BANKREF-ENTRY/1', 'BANKREF-ENTRY/2', 'BANKREF-Y'],
  ],
  [
    'UETRs next to the reference of the booking',
    [
      { amount: '1.00', reference: 'BANKREF-ENTRY', uetr: 'BANKREF-U1' },
      { amount: '2.00', reference: 'BANKREF-ENTRY', uetr: 'BANKREF-U2' },
    ],
    ['BANKREF-U1', 'BANKREF-U2'],
  ],
]

for (const [title, parts, references] of cases) {
  test(`parts of a booking with ${title} are distinguished`, async () => {
    const sum = `${parts.reduce((total, { amount }) => total + Number(amount), 0)}.00`
    const { rows, faults } = await readFile(file(sum, parts))
    assert.deepEqual(faults, [])
    assert.deepEqual(
      rows.map((row) => row.reference),
      references,
    )
  })
}

test('a booking of too many elements, or of too much text, is refused with its line, before it fills the memory', async () => {
  const before = process.memoryUsage().rss
  for (const more of ['<X/>'.repeat(3_000_000), `<X>${'<Y>a</Y>'.repeat(19_999)}</X>`.repeat(20)]) {
    const { faults } = await readFile(file('1.00', [], more))
    assert.deepEqual(faults, [
      {
        line: 3,
        reason:
          'The entry has more than 20000 elements outside of its payments, or in one of them. Ask the bank to divide it into several entries.',
      },
    ])
  }
  const text = `<NtryDtls>${`<TxDtls><RmtInf>${`<Ustrd>${'x'.repeat(9000)}</Ustrd>`.repeat(10)}</RmtInf></TxDtls>`.repeat(400)}</NtryDtls>`
  const { faults } = await readFile(file('1.00', [], text))
  assert.deepEqual(faults, [
    { line: 3, reason: 'The entry has more text than can be read. Ask the bank to divide it into several entries.' },
  ])
  assert.ok(process.memoryUsage().rss - before < 500 * 1024 * 1024)
})

test('a booking of many payments is read', async () => {
  const parts = Array.from({ length: 30_000 }, () => ({ amount: '1.00' }))
  const { rows, faults } = await readFile(file('30000.00', parts))
  assert.deepEqual([rows.length, faults], [30_000, []])
})
