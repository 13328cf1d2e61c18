import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Movement, statementToCamt, statementToCsv } from '../../src/rules/money/account-statement.ts'
import { csvLine } from '../../src/rules/values/csv.ts'
import { leastIdAt } from '../../src/rules/values/id-text.ts'
import { start } from '../support/builders.ts'
import { readFile } from '../../packages/bank-files/test/support/read-file.ts'

const movement = (change: bigint, fields: Partial<Movement> = {}): Movement => ({
  id: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
  kind: 'credit',
  change,
  deducted: 0n,
  paymentId: null,
  orderId: 'order',
  reference: null,
  postedAt: start,
  ...fields,
})

const statement = (opening: bigint, moves: readonly Movement[]) => ({
  merchantId: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
  merchantName: 'Shop',
  currency: 'USDT',
  from: start,
  to: start + 1000,
  opening,
  closing: moves.reduce((sum, { change }) => sum + change, opening),
})

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

test('CSV quotes what must be quoted and disarms formulas, but no numbers', () => {
  const line = csvLine(['a,b', 'say "hi"', '=1+1', '＝1', '@x', '-1.50', '-x', '+7', 5n, null, 'line\nbreak'])
  assert.equal(line, `"a,b","say ""hi""",'=1+1,'＝1,'@x,-1.50,'-x,'+7,5,,"line\nbreak"\r\n`)
  // A spreadsheet of a country with decimal commas begins a cell at a semicolon.
  assert.equal(csvLine(['x;=1+1;y', 'x; @y', 'x;"=1"', 'a;b']), `x;'=1+1;y,x;' @y,"x;'""=1""",a;b\r\n`)
})

test('the lines of a CSV statement carry the balance from the opening to the closing one', async () => {
  const moves = [movement(1_000001n), movement(-3_000000n, { kind: 'hold', orderId: null, reference: 'june' })]
  const lines = await Array.fromAsync(statementToCsv(statement(5_000000n, moves), each(moves)))
  assert.deepEqual(
    lines.map((line) => line.split(',')[7]),
    ['balance', '5.000000', '6.000001', '3.000001', '3.000001'],
  )
})

test('the entries of camt.053 add up to its closing balance, whatever is rounded, and texts are escaped', async () => {
  const micro = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })
  await fc.assert(
    fc.asyncProperty(micro, fc.array(micro, { maxLength: 8 }), async (opening, changes) => {
      const moves = changes.map((change) => movement(change, { orderId: '<&">' }))
      const text = (await Array.fromAsync(statementToCamt(statement(opening, moves), each(moves), 'USD'))).join('')
      const amounts = [...text.matchAll(/<Amt Ccy="USD">(\d+)\.(\d{5})<\/Amt><CdtDbtInd>(CRDT|DBIT)</g)].map(
        ([, whole, part, side]) => BigInt(`${whole}${part}`) * (side === 'CRDT' ? 1n : -1n),
      )
      const [first = 0n, last = 0n, ...entries] = amounts
      assert.equal(entries.length, changes.length)
      assert.equal(
        entries.reduce((sum, entry) => sum + entry, first),
        last,
      )
      const closing = changes.reduce((sum, change) => sum + change, opening)
      assert.ok(closing - last * 10n >= 0n && closing - last * 10n < 10n)
      assert.ok(!text.includes('<&'))
    }),
    { numRuns: 300 },
  )
})

test('spans that differ in an end alone are statements of different names, of at most 35 characters', async () => {
  const week = 7 * 24 * 60 * 60 * 1000
  const spans = [
    [start, start + week],
    [start, start + week - 1],
    [start + 1, start + week],
  ] as const
  const names = await Promise.all(
    spans.map(async ([from, to]) => {
      const text = (await Array.fromAsync(statementToCamt({ ...statement(0n, []), from, to }, each([]), 'USD'))).join(
        '',
      )
      const [, message = '', own = ''] = /<MsgId>(.+)<\/MsgId>[^]*<Stmt><Id>(.+?)<\/Id>/.exec(text) ?? []
      assert.equal(message, own)
      assert.match(message, /^[0-9a-z-]{20,35}$/)
      return message
    }),
  )
  assert.equal(new Set(names).size, 3)
})

test('each entry is written before the next movement is read; what does not add up has no end', async () => {
  const moves = Array.from({ length: 5 }, () => movement(1_000000n))
  for (const isCamt of [true, false]) {
    let read = 0
    async function* counted(): AsyncGenerator<Movement> {
      for (const move of moves) {
        read++
        yield move
      }
    }
    const render = (closing: bigint) => {
      const whole = { ...statement(0n, moves), closing }
      return isCamt ? statementToCamt(whole, counted(), 'USD') : statementToCsv(whole, counted())
    }
    let entries = 0
    for await (const piece of render(5_000000n)) {
      if (/^<Ntry>|,credit,/.test(piece)) assert.equal(read, ++entries)
    }
    assert.equal(entries, 5)
    await assert.rejects(Array.fromAsync(render(4_000000n)), /ends with 5000000 instead of 4000000/)
  }
})

test('our camt.053 is one that our own parser of bank statements takes, with every row and both balances', async () => {
  const moves = [
    movement(53_513514n, { id: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a11', orderId: 'A & B', deducted: 540540n }),
    movement(-50_000000n, {
      id: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a12',
      kind: 'hold',
      orderId: null,
      reference: 'june',
    }),
    movement(-3_000000n, { id: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a13', kind: 'return' }),
    // Less than five decimals can tell.
    movement(1n, { id: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a14' }),
  ]
  const text = (await Array.fromAsync(statementToCamt(statement(7_000000n, moves), each(moves), 'USD'))).join('')
  const { shape, rows, balances, faults } = await readFile(text)
  assert.deepEqual([shape?.format, faults], ['camt', []])
  assert.deepEqual(
    rows.map(({ direction, kind, amount, currency, number, reference }) => [
      ...[direction, kind, amount, currency, number, reference],
    ]),
    [
      ['credit', 'booked', '53.51351', 'usd', 'A & B', '019a9c3e7d5e7b529f0c0d6f3f3c6a11'],
      ['debit', 'booked', '50.00000', 'usd', 'june', '019a9c3e7d5e7b529f0c0d6f3f3c6a12'],
      ['debit', 'reversal', '3.00000', 'usd', 'order', '019a9c3e7d5e7b529f0c0d6f3f3c6a13'],
    ],
  )
  assert.deepEqual(
    balances.map(({ account, opening, closing, closedOn }) => [account, opening, closing, closedOn]),
    [
      [
        ...['019a9c3e7d5e7b529f0c0d6f3f3c6a10', '7.00000', '7.51351'],
        new Date(start + 1000).toISOString().slice(0, 10),
      ],
    ],
  )
})

test('the least id of a time is not greater than any id that is made then', () => {
  const at = Date.UTC(2026, 0, 31)
  assert.equal(leastIdAt(at).length, 36)
  assert.equal(Number.parseInt(leastIdAt(at).replaceAll('-', '').slice(0, 12), 16), at)
  assert.ok(leastIdAt(at) < leastIdAt(at + 1))
})
