import type { SimulatedFormat, SimulatedStatement } from '../../domain/simulated-statement.ts'
import type { Instant } from '../../domain/time.ts'
import { writeCamt } from './write-camt.ts'
import { writeCsv } from './write-csv.ts'
import { writeExchange } from './write-exchange.ts'
import { writeMt940 } from './write-mt940.ts'

const codes = new Map(
  [...new TextDecoder('windows-1251').decode(Uint8Array.from({ length: 256 }, (_, code) => code))].map(
    (character, code) => [character, code] as const,
  ),
)

/** What the character set does not have becomes a question mark, as in every other program of its time. */
const encodeWindows1251 = (text: string): Uint8Array =>
  Uint8Array.from([...text], (character) => codes.get(character) ?? 0x3f)

const encodeUtf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A file of the simulated bank. */
export type SimulatedFile = { readonly bytes: Uint8Array; readonly mediaType: string; readonly ending: string }

/** Each format: how its file is written, and what it is called. */
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
