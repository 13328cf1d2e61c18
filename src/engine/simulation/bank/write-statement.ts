import type { SimulatedFormat, SimulatedStatement } from '../../../rules/sandbox/simulated-statement.ts'
import type { Instant } from '../../../rules/time.ts'
import { encodeWindows1251 } from '../../../rules/statements/windows-1251.ts'
import { writeCamt } from './write-camt.ts'
import { writeCsv } from './write-csv.ts'
import { writeExchange } from './write-exchange.ts'
import { writeMt940 } from './write-mt940.ts'

const encodeUtf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

export type SimulatedFile = { readonly bytes: Uint8Array; readonly mediaType: string; readonly ending: string }

/** How the file of each format is written and named. */
const formats: Readonly<
  Record<SimulatedFormat, (statements: readonly SimulatedStatement[], writtenAt: Instant) => SimulatedFile>
> = {
  'camt.053': (statements, writtenAt) => ({
    bytes: encodeUtf8(writeCamt(statements, writtenAt)),
    mediaType: 'application/xml; charset=utf-8',
    ending: 'xml',
  }),
  '1c': (statements) => ({
    bytes: encodeWindows1251(writeExchange(statements)),
    mediaType: 'text/plain; charset=windows-1251',
    ending: 'txt',
  }),
  mt940: (statements) => ({
    bytes: encodeUtf8(writeMt940(statements)),
    mediaType: 'text/plain; charset=utf-8',
    ending: 'sta',
  }),
  csv: (statements) => ({
    bytes: encodeUtf8(writeCsv(statements)),
    mediaType: 'text/csv; charset=utf-8',
    ending: 'csv',
  }),
}

/** Writes statements of the simulated bank as one file. */
export const writeStatement = (
  format: SimulatedFormat,
  statements: readonly SimulatedStatement[],
  writtenAt: Instant,
): SimulatedFile => formats[format](statements, writtenAt)
