// The package as others use it: the example of its README, and the command.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type BankFileOptions, FileFault, formats, readBankFile } from '../src/bank-files.ts'
import { camtOf, csvOf, exchangeOf, type Made, mt940Of } from './support/made-files.ts'

const packageFolder = resolve(import.meta.dirname, '..')
const made: Made = {
  account: 'DE89370400440532013000',
  currency: 'eur',
  opening: 100_00n,
  rows: [
    { minor: 5000_37n, date: '2026-01-30', reference: 'REF-000000001', payer: 'Anna Berg', text: 'Order 1' },
    { minor: -20_00n, date: '2026-01-31', reference: 'REF-000000002', text: 'Fee' },
  ],
}

const read = (text: string, options?: BankFileOptions) => readBankFile(Buffer.from(text), options)

describe('entries', () => {
  for (const [format, text] of Object.entries({ camt: camtOf(made), mt940: mt940Of(made), csv: csvOf(made) }))
    test(`${format}: amounts are whole numbers of the smallest unit`, async () => {
      const file = await read(text)
      assert.equal(file.format, format)
      assert.deepEqual(
        file.entries.map(({ direction, amount, decimals, currency, booked }) => [
          ...[direction, amount, decimals, currency, booked],
        ]),
        [
          ['credit', 5000_37n, 2, 'eur', '2026-01-30'],
          ['debit', 20_00n, 2, 'eur', '2026-01-31'],
        ],
      )
      const [{ opening, closing } = {}] = file.balances
      assert.deepEqual([opening, closing], [100_00n, 5080_37n])
    })

  test('an amount has the decimals of the currency, which the caller may know', async () => {
    const text = 'Date;Amount\n2026-01-30;+1500.5\n'
    const amounts = async (options?: BankFileOptions) =>
      (await read(text, options)).entries.map(({ amount, decimals, currency }) => [amount, decimals, currency])
    assert.deepEqual(await amounts(), [[1500_50n, 2, null]])
    assert.deepEqual(await amounts({ currency: 'kwd' }), [[1500_500n, 3, 'kwd']])
    await assert.rejects(amounts({ currency: 'jpy' }), {
      line: 2,
      reason: 'The amount 1500.5 has more than 0 decimals.',
    })
  })

  test('midnight in UTC is a day where the account is', async () => {
    const rows = ['2026-01-30', '2026-01-31'].map(
      (day) =>
        `<STMTTRN><TRNTYPE>OTHER<DTPOSTED>${day.replaceAll('-', '')}210000[0:GMT]<TRNAMT>5.00<FITID>${day}</STMTTRN>`,
    )
    const text = `OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>RUB<BANKACCTFROM><ACCTID>1</BANKACCTFROM>${rows.join('\n')}</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`
    const days = (await read(text, { utcOffsetMinutes: 180 })).entries.map(({ booked }) => booked)
    assert.deepEqual(days, ['2026-01-31', '2026-02-01'])
  })

  test('a file with faults gives no entries: it throws all of them, in the order of their lines', async () => {
    const text = 'Date;Amount\n2026-01-30;+1\nyesterday;+2\n2026-02-30;+x\n'
    await assert.rejects(read(text), (error) => {
      assert.ok(error instanceof FileFault)
      assert.deepEqual([error.line, error.faults.map(({ line }) => line)], [3, [3, 4]])
      return true
    })
    await assert.rejects(read(''), { line: 1, reason: 'The file is empty: get it from the bank again.' })
  })

  test('every format of the table has its file', async () => {
    for (const { load } of Object.values(formats)) assert.equal(typeof (await load()).format.detects, 'function')
  })
})

describe('in a folder', () => {
  let folder = ''
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  const command = (...args: string[]) => run(join(packageFolder, 'src/command.ts'), ...args)
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'bank-files-'))
    symlinkSync(resolve(packageFolder, '../../node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'january.xml'), camtOf(made))
    writeFileSync(
      join(folder, 'january.txt'),
      exchangeOf({ ...made, currency: 'rub', account: '40702810900000000001' }),
    )
    writeFileSync(join(folder, 'wrong.csv'), 'Date;Amount\nyesterday;+2\n')
  })
  after(() => rmSync(folder, { recursive: true }))

  test('the example of the README does what it says', () => {
    const [, example = ''] = /^```ts\n([^]*?)^```/m.exec(readFileSync(join(packageFolder, 'README.md'), 'utf8')) ?? []
    writeFileSync(join(folder, 'example.mts'), example)
    assert.deepEqual(run('example.mts'), {
      status: 0,
      stdout: '2026-01-30 credit 500037n 2 eur Anna Berg\n2026-01-31 debit 2000n 2 eur null\ncamt 508037n\n',
      stderr: '',
    })
  })

  test('the command prints a table', () => {
    const { status, stdout, stderr } = command('january.xml')
    assert.deepEqual([status, stderr], [0, ''])
    assert.equal(
      stdout,
      [
        '2026-01-30  +5000.37  eur    Anna Berg  REF-000000001  Order 1',
        '2026-01-31    -20.00  eur               REF-000000002  Fee',
        'Account DE89370400440532013000: opening balance 100.00, closing balance 5080.37 eur',
        'camt.052–054, utf-8: 2 entries',
        '',
      ].join('\n'),
    )
  })

  test('with --json it prints one document', () => {
    const { status, stdout } = command('january.txt', '--json')
    const { format, entries, balances } = JSON.parse(stdout)
    assert.deepEqual([status, format, entries.length], [0, '1c', 2])
    assert.deepEqual([entries[0].amount, entries[0].decimals, balances[0].closing], [500037, 2, 508037])
  })

  test('what is wrong goes to the standard error, with the exit code 1', () => {
    const wrong = command('wrong.csv', '--json')
    assert.deepEqual([wrong.status, wrong.stdout], [1, ''])
    assert.match(wrong.stderr, /^Line 2: "yesterday" in column "Date" is not a date .*\n$/)
    for (const [args, reason] of [
      [[], /^Name one file\./],
      [['missing.xml'], /^ENOENT/],
      [['january.xml', '--charset', 'morse'], /^--charset is one of: utf-8 /],
      [['january.xml', '--cost'], /^Unknown option '--cost'/],
    ] as const) {
      const { status, stdout, stderr } = command(...args)
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(stderr, reason)
    }
    assert.match(command('--help').stdout, /^bank-files <file> \[options\]/)
  })
})
