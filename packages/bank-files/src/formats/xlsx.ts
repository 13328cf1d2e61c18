import type { CsvMapping, GivenMapping } from '../tables/csv-mapping.ts'
import { guessTableMapping, headLines, type TableHead } from '../tables/guess-csv-mapping.ts'
import { FileFault, type LineFault } from '../file-fault.ts'
import type { StatementSink } from '../statement.ts'
import type { BinaryFormat } from '../format.ts'
import { TableReader } from '../tables/table-reader.ts'
import { type Sheet, Workbook } from './workbook.ts'

/** Most sheets per workbook. */
const maxSheets = 50

type Table = { readonly sheet: Sheet; readonly mapping: CsvMapping | LineFault }

/** The first lines of a sheet, each at its own number. */
const readHead = async (workbook: Workbook, sheet: Sheet): Promise<TableHead> => {
  const head: (readonly string[])[] = []
  for await (const lines of workbook.read(sheet)) {
    for (const { cells, line } of lines) {
      if (line > headLines) return head
      while (head.length < line - 1) head.push([])
      head[line - 1] = cells
    }
  }
  return head
}

/** The only sheet that is a statement: money on a second one would go unnoticed. */
const findTable = async (workbook: Workbook, given: GivenMapping): Promise<Table & { mapping: CsvMapping }> => {
  const tables: Table[] = []
  if (workbook.sheets.length > maxSheets)
    throw new FileFault(
      1,
      `The workbook has more than ${maxSheets} sheets: save the one of the statement as a file of its own.`,
    )
  for (const sheet of workbook.sheets) {
    const head = await readHead(workbook, sheet)
    const isEmpty = head.every((cells) => cells.every((cell) => cell.trim() === ''))
    const mapping = isEmpty ? undefined : guessTableMapping(head, given, { charset: 'utf-8', delimiter: ';' })
    if (mapping) tables.push({ sheet, mapping })
  }
  const [table, ...others] = tables
  if (!table)
    throw new FileFault(
      1,
      'No line of the workbook names the columns of a statement (a date and an amount): choose another file, or give the mapping of the columns, by their numbers if the sheet has no header.',
    )
  if (others.length > 0) {
    const named = tables.map(({ sheet }) => `"${sheet.name}"`).join(', ')
    throw new FileFault(
      1,
      `Several sheets of the workbook look like a statement: ${named}. Save each as a file of its own.`,
    )
  }
  const { sheet, mapping } = table
  if ('reason' in mapping) throw new FileFault(mapping.line, mapping.reason)
  return { sheet, mapping }
}

/** Excel workbooks: the sheet with the columns of a statement, read as a CSV is. */
export const format: BinaryFormat = {
  // The name of the archive's first file; a Word file begins the same way, and is refused when it is opened.
  detects: ({ text }) =>
    /^PK[^A-Za-z]/.test(text) && /^(?:\[Content_Types\]\.xml|_rels\/|xl\/|docProps\/)/.test(text.slice(30)),
  openWhole: async (bytes, given) => {
    const workbook = new Workbook(bytes)
    await workbook.open()
    const { sheet, mapping } = await findTable(workbook, given)
    const read = async (sink: StatementSink, flush: () => Promise<void>): Promise<void> => {
      const table = new TableReader(sink, mapping, given)
      let last = 0
      for await (const lines of workbook.read(sheet)) {
        for (const { cells, line } of lines) {
          table.take(cells, line)
          last = line
        }
        await flush()
      }
      table.end(last)
    }
    return { mapping, channel: `xlsx ${Object.values(mapping.columns).map(String).toSorted().join(', ')}`, read }
  },
}
