import type { FieldKind } from '../operations/schema.ts'
import { disputeDecisions } from '../operations/decide-disputes.ts'
import { fieldsOf } from '../operations/field.ts'
import { entriesOf, type LedgerPreview } from '../operations/fields.ts'
import { transferDecisions } from '../operations/decide-transfers.ts'
import type { Commands } from './commands.ts'
import { Failure } from './failure.ts'
import { option, several } from './inputs.ts'
import { resolvedKeys } from './named-inputs.ts'
import { commandOf, declaredCommands, printAnswer } from './noun-commands.ts'
import { type Printed, printSections } from './print-table.ts'
import { printTables } from './show-rows.ts'

type Decided = Partial<LedgerPreview> & { readonly id: string; readonly orderId?: string }

/** Prints the results of decisions, and the ledger entries of all that were only previewed. */
const printDecided =
  (noun: typeof transferDecisions | typeof disputeDecisions, heading: string, kind: FieldKind) =>
  (answer: Readonly<Record<string, readonly Decided[]>>): Printed => {
    const decided = answer['transfers'] ?? answer['disputes'] ?? []
    const entries = decided.flatMap(({ orderId, id, entries: own = [] }) =>
      own.map((entry) => ({ of: orderId ?? id, ...entry })),
    )
    return printSections(
      printAnswer(noun.decide, answer),
      ...printTables(fieldsOf(entriesOf(heading, kind)), { entries }),
    )
  }

const printDisputes = printDecided(disputeDecisions, 'Dispute', 'text')

export const manyDisputes: Commands = {
  decide: commandOf(disputeDecisions.decide, { print: printDisputes }),
  accept: commandOf(disputeDecisions.decide, { print: printDisputes }, 'accept'),
}

const { decide } = transferDecisions
const [ofTransfers] = fieldsOf(decide.body)

export const manyDecisions: Commands = {
  ...declaredCommands(transferDecisions),
  decide: commandOf(transferDecisions.decide, { print: printDecided(transferDecisions, 'Transfer', 'id') }),
  'same-money': commandOf(
    transferDecisions.decide,
    {
      inputs: {
        transfers: resolvedKeys(
          option('--transfer <transfer>', 'bank reference or id of a possible duplicate; repeat for more', several),
          ofTransfers as NonNullable<typeof ofTransfers>,
        ),
      },
      body: ({ statementId, transfers, note }) => {
        if ((statementId === undefined) === (transfers === undefined))
          throw new Failure(['Give either --statement or --transfer.'], 2)
        const keys = transfers as readonly object[] | undefined
        return { statementId, transfers: keys?.map((each) => ({ ...each, decision: 'same-money' })), note }
      },
    },
    'same-money',
  ),
}
