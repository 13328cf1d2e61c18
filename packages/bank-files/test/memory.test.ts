// A file of 25 MB is read in flat memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readStatement } from '../src/read-statement.ts'
import { camtOf, csvOf, exchangeOf, type Made, mt940Of } from './support/made-files.ts'

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void

const fileBytes = 25_000_000
/** What may be held while a file is read, whatever its size: two pieces and what is made of them. */
const mostHeld = 20_000_000

const row = {
  minor: 5000_37n,
  date: '2026-01-31',
  payer: 'Иванов Иван Иванович',
  payerAccount: '40817810000000001234',
  text: 'Перевод по СБП от +7 999 123-45-67, заказ 1',
}
const made: Made = { account: '40702810900000000001', rows: Array.from({ length: 500 }, () => row) }

/** The beginning of a file, the rows of it that come again and again, and its end. */
const cut = (text: string, from: string, to: string): [head: string, body: string, tail: string] => {
  const [start, end] = [text.indexOf(from), text.lastIndexOf(to)]
  return [text.slice(0, start), text.slice(start, end), text.slice(end)]
}

const files: Readonly<Record<string, [string, string, string]>> = {
  camt: cut(camtOf(made), '<Ntry>', '</Stmt>'),
  '1c': cut(exchangeOf(made), 'СекцияДокумент', 'КонецФайла'),
  mt940: cut(mt940Of(made), ':61:', ':62F:'),
  csv: cut(csvOf(made), '31.01.2026', 'Входящий'),
}

for (const [format, [head, body, tail]] of Object.entries(files)) {
  test(`${format}: 25 MB take no more memory than 1 MB`, async () => {
    let read = 0
    let most = 0
    let rows = 0
    collect()
    const before = process.memoryUsage().heapUsed
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(head)
      const again = Buffer.from(body)
      for (; read < fileBytes; read += again.length) {
        if (rows > 0 && Math.floor(read / 5_000_000) !== Math.floor((read - again.length) / 5_000_000)) {
          collect()
          most = Math.max(most, process.memoryUsage().heapUsed - before)
        }
        yield again
      }
      yield Buffer.from(tail)
    }
    const none = () => undefined
    const sink = { row: () => void rows++, skip: none, balance: none, fault: none, flush: async () => undefined }
    const shape = await readStatement(pieces(), null, sink)
    assert.equal(shape.format, format)
    assert.equal(rows % 500, 0)
    assert.ok(rows > 50_000, `${rows} rows`)
    assert.ok(most > 0 && most < mostHeld, `${most} bytes held`)
  })
}
