import { inbox, TransferDetails } from '../operations/inbox.ts'
import { transfers } from '../operations/transfers.ts'
import { commandOf, declaredCommands, nounCommands } from './noun-commands.ts'
import { nameOf } from '../operations/named.ts'
import { listContradictions } from '../rules/transfers/evidence-words.ts'
import { reveals } from '../operations/reveals.ts'
import { manyDecisions } from './decide-many.ts'
import { fieldsOf } from '../operations/field.ts'
import { LedgerEffect } from '../operations/fields.ts'
import { describePayments, describeRevocable } from '../operations/decide-transfers.ts'
import type { Commands } from './commands.ts'
import { type Printed, printFields, printSections } from './print-table.ts'
import { shortenIds } from '../rules/values/short-ids.ts'
import { say, sayUnlessName } from './say.ts'
import { forms, printRow, printTables } from './show-rows.ts'

/** What accepting the first suggestion would do, or why it can no longer be accepted. */
const describeEffect = ({ suggestions: [first] }: TransferDetails): Printed | undefined => {
  if (first?.refused !== undefined) return `${first.orderId} can no longer be accepted: ${first.refused}`
  if (!first?.entries || first.entries.length === 0) return undefined
  const { entries, orderId } = first
  return printSections(
    `If it is for ${orderId}:`,
    ...printTables(fieldsOf({ entries: LedgerEffect }), { entries }),
    printFields({ Payments: say(describePayments(first, forms)), Revocable: sayUnlessName(describeRevocable(first)) }),
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

const own: Commands = {
  show: commandOf(inbox.show, {
    print: (transfer: TransferDetails) =>
      printSections(printRow(TransferDetails, transfer), suggestNext(transfer), describeEffect(transfer)),
  }),
  reveal: commandOf(reveals.transfer),
  ...manyDecisions,
  record: commandOf(transfers.operations.record, {
    complete: async (given, session) => ({ ...given, bookedAt: given['bookedAt'] ?? (await session.now()) }),
  }),
}

export const transferCommands = nounCommands(transfers, { ...declaredCommands(inbox), ...own })
