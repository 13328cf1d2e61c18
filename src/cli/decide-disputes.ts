import type { DecidedOne, DecideDisputesAnswer } from '../http/operator-api/decide-disputes.ts'
import { command } from './commands.ts'
import { flag, option, required } from './inputs.ts'
import { resolveTransfer } from './named-inputs.ts'
import { printAmount, type Printed, printList, printRows, printSections } from './print-table.ts'
import { exactNumber, readDocument } from './read-arguments.ts'
import { atLine, type CsvRow, readCsv } from './read-csv.ts'
import { resolveId, resolveName } from './resolve-name.ts'
import type { Session } from './session.ts'

/** Several transfers in one cell, such as `A1 + A2`. */
const transfersOf = (session: Session, cell: string | undefined) =>
  cell === undefined ? undefined : Promise.all(cell.split(' + ').map((each) => resolveTransfer(session, each.trim())))

const toWanted = async (session: Session, row: CsvRow): Promise<object> => {
  const { dispute = '', decision, merchant, amount, transfers, unassign, note } = row.cells
  return atLine(row, async () => {
    const within = merchant === undefined ? undefined : await resolveId(session, 'merchant', merchant)
    const { merchantId, id } = await resolveName(session, 'dispute', dispute, { merchantId: within })
    return {
      ...{ merchantId, id, decision, note },
      amount: amount === undefined ? undefined : exactNumber(amount),
      transfers: await transfersOf(session, transfers),
      unassign: await transfersOf(session, unassign),
    }
  })
}

/** The body of a request by a file: JSON as the service takes it, or CSV whose rows name disputes by their orders. */
const readDecisions = async (
  session: Session,
  file: string,
  others: { readonly note: string | undefined; readonly preview: true | undefined },
): Promise<string | object> => {
  if (file.endsWith('.json')) {
    const more = JSON.stringify(others).slice(1, -1)
    const disputes = await readDocument(session.surroundings, file, true)
    return `{${more === '' ? '' : `${more},`}"disputes":${disputes}}`
  }
  const optional = ['merchant', 'amount', 'transfers', 'unassign', 'note']
  const disputes: object[] = []
  for (const row of await readCsv(session.surroundings, file, ['dispute', 'decision'], optional))
    disputes.push(await toWanted(session, row))
  return { disputes, ...others }
}

const nameOf = ({ orderId, id }: DecidedOne): string => orderId ?? id

const describeCounts = ({ disputes }: DecideDisputesAnswer): string => {
  const count = (state: DecidedOne['state']): number => disputes.filter((each) => each.state === state).length
  const refused = `${count('refused')} refused.`
  if (count('possible') > 0) return `${count('possible')} can be decided, ${refused} Nothing was changed.`
  const proposed = count('proposed')
  const waiting = proposed === 0 ? '' : ` ${proposed} only proposed: another operator has to confirm them.`
  return `${count('done')} decided, ${refused}${waiting}`
}

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
  return printSections(table, entries.length === 0 ? undefined : effect, describeCounts(answer))
}

export const decideDisputes = command({
  description:
    'Decide about up to 500 disputes by a file, each with its result. CSV: its first line names the columns dispute (order or id), decision (accept, reject, confirm); optional: amount (needed to confirm), transfers (in the inbox that are for it: A1 + A2), unassign, merchant, note. A file named *.json is sent as it is. Ends with 1 when one was refused.',
  inputs: {
    file: required('--file <path>', 'CSV, or JSON array of { merchantId, id, decision, amount?, transfers?, note? }'),
    note: option('--reason <text>', 'why, for rows without a note of their own; the merchant reads it'),
    key: option('--key <text>', 'your own key: the same command with the same key counts once'),
    preview: flag('--preview', 'only show the ledger entries that each would write'),
  },
  run: async (session, { file, note, key: idempotencyKey, preview }) => {
    const body = await readDecisions(session, file, { note, preview })
    const options = { body, idempotencyKey, patient: true } as const
    const answer = await session.call<DecideDisputesAnswer>('POST /disputes/decide', {}, options)
    session.show(answer, describe)
    if (answer.body.disputes.some(({ state }) => state === 'refused')) session.fail()
  },
})
