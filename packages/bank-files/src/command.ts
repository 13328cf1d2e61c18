#!/usr/bin/env node
// The command `bank-files`: prints what a bank's file says.
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { formatDecimal } from './amount.ts'
import { FileFault } from './file-fault.ts'
import { formatList, formats } from './formats.ts'
import { type BankFile, type Entry, type EntryBalance, readBankFile } from './read-bank-file.ts'
import { statementCharsets } from './statement.ts'
import { csvDateOrders } from './tables/csv-mapping.ts'

const help = `bank-files <file> [options]

Prints the entries and balances of a bank's file (${formatList}).
A file with faults gives no entries: they are printed with their lines, and the exit code is 1.

  --json                 print one JSON document; amounts are whole numbers of the currency's smallest unit
  --currency <code>      the currency of rows whose file names none
  --charset <name>       ${statementCharsets.join(', ')}
  --date-order <order>   of a table: ${csvDateOrders.join(', ')}
  --decimal-mark <mark>  of a table: "," or "."
  --all-credits          in a table, amounts without a sign or a word are credits
  --help                 print this
`

const decimalMarks = [',', '.'] as const

/** A mistake in the arguments. */
class WrongUsage extends Error {}

const choose = <Choice extends string>(
  name: string,
  value: string | undefined,
  choices: readonly Choice[],
): Choice | undefined => {
  const found = choices.find((choice) => choice === value)
  if (value !== undefined && found === undefined) throw new WrongUsage(`--${name} is one of: ${choices.join(' ')}`)
  return found
}

const readOptions = (args: readonly string[]) => {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...{ json: flag, 'all-credits': flag, help: flag },
        ...{ currency: text, charset: text, 'date-order': text, 'decimal-mark': text },
      },
    })
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : String(error))
  }
}

const toJson = (value: unknown): string =>
  // An amount has at most fifteen digits, so that it is exact as a number.
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each))

function* listJson(items: readonly unknown[]): Generator<string> {
  for (const [index, item] of items.entries()) yield `${index === 0 ? '' : ','}\n${toJson(item)}`
}

function* writeJson({ entries, balances, ...file }: BankFile): Generator<string> {
  yield `${toJson(file).slice(0, -1)},\n"balances":[`
  yield* listJson(balances)
  yield '],\n"entries":['
  yield* listJson(entries)
  yield ']}\n'
}

const show = (amount: bigint | null, { decimals }: EntryBalance): string =>
  amount === null ? 'unknown' : formatDecimal(amount, decimals)

const cellsOf = (entry: Entry): string[] => [
  entry.booked,
  `${entry.direction === 'credit' ? '+' : '-'}${formatDecimal(entry.amount, entry.decimals)}`,
  entry.currency ?? '',
  entry.kind === 'booked' ? '' : entry.kind,
  entry.counterparty.name ?? entry.counterparty.number ?? '',
  entry.reference ?? entry.number ?? '',
  entry.text ?? '',
]
const amountColumn = 1

function* writeTable({ format, charset, entries, balances }: BankFile): Generator<string> {
  const widths: number[] = []
  for (const entry of entries)
    for (const [at, cell] of cellsOf(entry).entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  for (const entry of entries) {
    const cells = cellsOf(entry).map((cell, at) =>
      at === amountColumn ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
    )
    yield `${cells.join('  ').trimEnd()}\n`
  }
  for (const balance of balances)
    yield `Account ${balance.account ?? 'unknown'}: opening balance ${show(balance.opening, balance)}, closing balance ${show(balance.closing, balance)} ${balance.currency ?? ''}`.trimEnd() +
      '\n'
  yield `${formats[format].label}${charset === null ? '' : `, ${charset}`}: ${entries.length} entries\n`
}

const run = async (args: readonly string[]): Promise<void> => {
  const { values, positionals } = readOptions(args)
  if (values.help) return void process.stdout.write(help)
  const [path, ...others] = positionals
  if (path === undefined || others.length > 0) throw new WrongUsage('Name one file.')
  const mapping = {
    charset: choose('charset', values.charset, statementCharsets),
    dateOrder: choose('date-order', values['date-order'], csvDateOrders),
    decimalMark: choose('decimal-mark', values['decimal-mark'], decimalMarks),
    ...(values['all-credits'] && { allCredits: true }),
  }
  const currency = values.currency?.toLowerCase()
  const file = await readBankFile(createReadStream(path), { mapping, ...(currency !== undefined && { currency }) })
  await pipeline(Readable.from(values.json ? writeJson(file) : writeTable(file)), process.stdout, { end: false })
}

const explain = (error: unknown): string => {
  if (error instanceof FileFault) return error.faults.map(({ line, reason }) => `Line ${line}: ${reason}\n`).join('')
  if (error instanceof WrongUsage) return `${error.message}\nUsage: bank-files <file> [--json] (--help for more)\n`
  return `${error instanceof Error ? error.message : String(error)}\n`
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  const isClosed = error instanceof Error && 'code' in error && error.code === 'EPIPE'
  if (!isClosed) process.stderr.write(explain(error))
  process.exitCode = 1
}
