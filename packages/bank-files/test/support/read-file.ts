import type { GivenMapping } from '../../src/tables/csv-mapping.ts'
import { FileFault, type LineFault } from '../../src/file-fault.ts'
import type { SkippedRow, StatementBalance, StatementRow } from '../../src/statement.ts'
import { readStatement, type StatementShape } from '../../src/read-statement.ts'

/** What a file was read as, and its faults. */
export type ReadFile = {
  readonly shape: StatementShape | undefined
  readonly rows: StatementRow[]
  readonly balances: StatementBalance[]
  readonly faults: LineFault[]
  readonly skipped: SkippedRow[]
}

async function* cut(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes)
}

/** Reads a statement whose bytes arrive in pieces; any error but a fault of the file fails the test. */
export const readFile = async (
  content: string | Uint8Array,
  options: { readonly mapping?: GivenMapping; readonly pieceBytes?: number } = {},
): Promise<ReadFile> => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const [rows, balances, faults]: [StatementRow[], StatementBalance[], LineFault[]] = [[], [], []]
  const skipped: SkippedRow[] = []
  const sink = {
    row: (row: StatementRow) => void rows.push(row),
    skip: (row: SkippedRow) => void skipped.push(row),
    balance: (balance: StatementBalance) => void balances.push(balance),
    fault: (line: number, reason: string) => void faults.push({ line, reason }),
    flush: async () => undefined,
  }
  try {
    const shape = await readStatement(cut(bytes, options.pieceBytes ?? 64 * 1024), options.mapping ?? null, sink)
    return { shape, rows, balances, faults, skipped }
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    return { shape: undefined, rows, balances, faults: [...faults, ...error.faults], skipped }
  }
}
