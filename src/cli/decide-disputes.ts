import type { CsvRow } from '../rules/statements/csv-table.ts'
import { type DecideDisputesAnswer, disputesDecided } from '../operations/decide-disputes.ts'
import { fieldsOf } from '../operations/field.ts'
import { entriesOf } from '../operations/fields.ts'
import { printAnswer } from './noun-commands.ts'
import { printTables } from './show-rows.ts'
import { decideByFile } from './decide-by-file.ts'
import { resolveKey } from './named-inputs.ts'
import { type Printed, printSections } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'
import { atLine } from './read-csv.ts'
import { resolveId, resolveName } from './resolve-name.ts'
import type { Session } from './session.ts'

/** Several transfers in one cell, such as `A1 + A2`. */
const transfersOf = (session: Session, cell: string | undefined) =>
  cell && Promise.all(cell.split(' + ').map((each) => resolveKey(session, 'transfer', each.trim())))

const toWanted = async (session: Session, row: CsvRow): Promise<object> => {
  const { dispute = '', decision, merchant, amount, transfers, unassign, note } = row.cells
  return atLine(row, async () => {
    const within = merchant === undefined ? undefined : await resolveId(session, 'merchant', merchant)
    const { merchantId, id } = await resolveName(session, 'dispute', dispute, { merchantId: within })
    return {
      merchantId,
      id,
      decision,
      note,
      amount: amount === undefined ? undefined : exactNumber(amount),
      transfers: await transfersOf(session, transfers),
      unassign: await transfersOf(session, unassign),
    }
  })
}

const describe = (answer: DecideDisputesAnswer): Printed => {
  const entries = answer.disputes.flatMap(({ orderId, id, entries: own = [] }) =>
    own.map((entry) => ({ of: orderId ?? id, ...entry })),
  )
  return printSections(
    printAnswer(disputesDecided, 'decide', answer),
    ...printTables(fieldsOf(entriesOf('Dispute', 'text')), { entries }),
  )
}

export const decideDisputes = decideByFile({
  name: 'disputes',
  description:
    'Decide about up to 500 disputes from a file, and show each result. CSV: the first line names the columns dispute (order or id), decision (accept, reject, confirm); optional: amount (required to confirm), transfers (in the inbox that are for it: A1 + A2), unassign, merchant, note. A file named *.json is sent unchanged. Exits with 1 if one was refused.',
  form: '{ merchantId, id, decision, amount?, transfers?, note? }',
  aboutReason: 'why, for rows without their own note; the merchant sees it',
  needed: ['dispute', 'decision'],
  optional: ['merchant', 'amount', 'transfers', 'unassign', 'note'],
  toWanted,
  print: describe,
})
