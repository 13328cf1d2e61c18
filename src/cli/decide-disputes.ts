import type { CsvRow } from '../rules/statements/csv-table.ts'
import type { DecidedOne, DecideDisputesAnswer } from '../http/operator-api/decide-disputes.ts'
import { decideByFile, describeCounts } from './decide-by-file.ts'
import { resolveKey } from './named-inputs.ts'
import { printAmount, type Printed, printList, printRows, printSections } from './print-table.ts'
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

const nameOf = ({ orderId, id }: DecidedOne): string => orderId ?? id

const describeState = ({ state, needsSecondOperator }: DecidedOne): string =>
  needsSecondOperator === true ? 'needs a second operator' : state

const describe = (answer: DecideDisputesAnswer): Printed => {
  const entries = answer.disputes.flatMap((each) =>
    (each.entries ?? []).map((entry) => ({ dispute: nameOf(each), ...entry })),
  )
  const table = printList(answer.disputes, {
    'DISPUTE~': nameOf,
    DECISION: 'decision',
    'STATE~': describeState,
    'WHY~': 'message',
    'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
    PAYMENT: 'status',
    'ID%': 'id',
  })
  const effect = printRows(entries, {
    'DISPUTE~': 'dispute',
    ENTRY: 'kind',
    'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
    'DEBIT~': ({ debitName, debit }) => debitName ?? debit,
    'CREDIT~': ({ creditName, credit }) => creditName ?? credit,
  })
  return printSections(table, entries.length === 0 ? undefined : effect, describeCounts(answer.disputes))
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
