import type { Notes } from '../http/operator-api/operator-fields.ts'
import { type Printed, printRows, printSections, printTime } from './print-table.ts'

/** What operators wrote about something, as a table. */
export const describeNotes = ({ notes = [] }: { readonly notes?: Notes }): Printed =>
  printSections(
    notes.length === 0
      ? undefined
      : printRows(notes, { WRITTEN: ({ at }) => printTime(at), 'BY~': 'by', 'NOTE~': 'text' }),
  )
