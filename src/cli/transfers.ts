import { Type } from '../operations/schema.ts'
import { inbox } from '../operations/inbox.ts'
import { transfers } from '../operations/transfers.ts'
import { commandOf, declaredCommands, nounCommands } from './noun-commands.ts'
import { nameOf } from '../operations/named.ts'
import { listContradictions } from '../rules/transfers/evidence-words.ts'
import { TransferDetails } from '../operations/inbox.ts'
import { reveals } from '../operations/reveals.ts'
import { ListedTransfer, NewTransfer } from '../operations/transfers.ts'
import { findShares, manyDecisions, shares } from './decide-transfers.ts'
import { fieldsOf } from '../operations/field.ts'
import { LedgerEffect } from '../operations/fields.ts'
import { describePayments, describeRevocable } from '../operations/transfer-decisions.ts'
import { type Commands, request } from './commands.ts'
import { option, required } from './inputs.ts'
import { inputsOfFields } from './field-inputs.ts'
import { transferKey } from './named-inputs.ts'
import { type Printed, printFields, printSections } from './print-table.ts'
import { manyOrOne } from './read-arguments.ts'
import { shortenIds } from './short-ids.ts'
import { forms, printRow, printTables } from './show-rows.ts'

/** What accepting the first suggestion would do, or why it can no longer be accepted. */
const describeEffect = ({ suggestions: [first] }: TransferDetails): Printed | undefined => {
  if (first?.refused !== undefined) return `${first.orderId} can no longer be accepted: ${first.refused}`
  if (!first?.entries || first.entries.length === 0) return undefined
  const { entries, orderId } = first
  return printSections(
    `If it is for ${orderId}:`,
    ...printTables(fieldsOf({ entries: LedgerEffect }), { entries }),
    printFields({ Payments: describePayments(first, forms), Revocable: describeRevocable(first) }),
  )
}

/** What to do with money in the inbox, as commands to type. */
const suggestNext = (transfer: TransferDetails): string | undefined => {
  if (transfer.parts.every(({ kind }) => kind !== 'suspense')) return undefined
  const named = nameOf({ ...transfer, id: shortenIds([transfer.id], { madeTogether: true })[0] ?? transfer.id })
  const [best] = transfer.suggestions
  const isDoubtful = best === undefined || listContradictions(best.evidence).length > 0
  const accept = isDoubtful ? '' : `payin transfers accept ${named} (for ${best.orderId}), or `
  return `It waits: ${accept}payin transfers assign ${named} --to <order>, or ignore it with a --reason.`
}

const describe = (transfer: TransferDetails): Printed =>
  printSections(printRow(TransferDetails, transfer), suggestNext(transfer), describeEffect(transfer))

/** Commands that explain a transfer, or do more than one request. */
const own: Commands = {
  show: request('GET /transfers/{requisiteId}/{id}', {
    description: 'Show a transfer: where its money went, and the payments that it may be for.',
    inputs: transferKey,
    print: describe,
  }),
  assign: request('POST /transfers/{requisiteId}/{id}/assign', {
    description: 'Assign a transfer in the inbox to a payment, or split it over several; the rest keeps waiting.',
    inputs: {
      ...transferKey,
      shares: required(
        '--to <payment=amount>',
        'order or id of a payment, by default with all that waits; repeat for more',
        shares,
      ),
      merchant: option('--merchant <merchant>', 'merchant of the payments, if several have such an order'),
      note: option('--reason <reason>', 'why'),
    },
    body: async ({ shares: named, merchant, note }, session) => ({
      shares: await findShares(session, named, merchant),
      note,
    }),
    print: (transfer: ListedTransfer) => printRow(ListedTransfer, transfer),
  }),
  reveal: commandOf(reveals, 'transfer'),
  ...manyDecisions,
  record: commandOf(transfers.operations, 'record', {
    inputs: {
      file: option('--file <path>', 'JSON array of at most 1000 transfers; - for standard input'),
      ...inputsOfFields(Type.Partial(NewTransfer), { options: { bankReference: '--reference' } }),
    },
    body: ({ file, columns: _, ...given }, session) => {
      const { requisiteId: requisite, amount, currency } = given
      const needed = { requisite, amount, currency }
      return manyOrOne(session.surroundings, 'transfers', file as string | undefined, needed, async () => ({
        ...given,
        bookedAt: given['bookedAt'] ?? (await session.now()),
      }))
    },
  }),
}

/** Money that banks report. */
export const transferCommands = nounCommands(transfers, { ...declaredCommands(inbox), ...own })
