import type { SimulatedFormat, SimulatedStatement } from '../../../rules/sandbox/simulated-statement.ts'
import type { Instant } from '../../../rules/time.ts'
import { encodeWindows1251 } from '../../../rules/statements/windows-1251.ts'
import { writeCamt } from './write-camt.ts'
import { writeCsv } from './write-csv.ts'
import { writeExchange } from './write-exchange.ts'
import { writeMt940 } from './write-mt940.ts'

/** How the file of a format is written, piece by piece, and named. */
type FileFormat = {
  readonly write: (statements: readonly SimulatedStatement[], writtenAt: Instant) => Iterable<string>
  /** Default: in UTF-8. */
  readonly encode?: (text: string) => Uint8Array
  readonly mediaType: string
  readonly ending: string
}

/** The statement files of the simulated bank. */
export const simulatedFiles: Readonly<Record<SimulatedFormat, FileFormat>> = {
  'camt.053': { write: writeCamt, mediaType: 'application/xml; charset=utf-8', ending: 'xml' },
  '1c': {
    write: writeExchange,
    encode: encodeWindows1251,
    mediaType: 'text/plain; charset=windows-1251',
    ending: 'txt',
  },
  mt940: { write: writeMt940, mediaType: 'text/plain; charset=utf-8', ending: 'sta' },
  csv: { write: writeCsv, mediaType: 'text/csv; charset=utf-8', ending: 'csv' },
}
