import type { CsvRow } from '../rules/statements/csv-table.ts'
import { exactNumber } from './read-arguments.ts'
import { resolveId, resolveName } from './resolve-name.ts'
import type { Session } from './session.ts'
import { fieldsOf } from '../operations/field.ts'
import { entriesOf } from '../operations/fields.ts'
import { type DecideAnswer, transferDecisions } from '../operations/transfer-decisions.ts'
import { commandOf, printAnswer } from './noun-commands.ts'
import { printTables } from './show-rows.ts'
import type { Commands } from './commands.ts'
import { decideByFile } from './decide-by-file.ts'
import { Failure } from './failure.ts'
import { option, required, several } from './inputs.ts'
import { resolvedId, resolvedKeys, resolveKey, transferKey } from './named-inputs.ts'
import { type Printed, printSections } from './print-table.ts'
import { atLine } from './read-csv.ts'

/** A payment's share of a transfer, as it was typed. Without an amount it is what the other shares leave. */
export type TypedShare = { readonly name: string; readonly amount: object | undefined }

/** Reads `order-42` or `order-42=1500.00`. An order may contain `=`, so only an amount after the last one counts. */
export const shares = (typed: string, before: readonly TypedShare[] = []): readonly TypedShare[] => {
  const [, name, amount] = /^(.+)=([\d.]+)$/s.exec(typed) ?? []
  if (name === undefined || amount === undefined) return [...before, { name: typed, amount: undefined }]
  return [...before, { name, amount: exactNumber(amount) }]
}

/** Shares in the form of the request. `merchant` is needed if several merchants have such an order. */
export const findShares = async (session: Session, named: readonly TypedShare[], merchant: string | undefined) => {
  const merchantId = merchant === undefined ? undefined : await resolveId(session, 'merchant', merchant)
  const found = await Promise.all(named.map(({ name }) => resolveName(session, 'payment', name, { merchantId })))
  return found.map(({ merchantId: owner, id }, index) => ({
    merchantId: owner,
    paymentId: id,
    amount: named[index]?.amount,
  }))
}

/** The ledger entries of all previewed decisions. */
const describeEntries = ({ transfers }: DecideAnswer): Printed => {
  const entries = transfers.flatMap(({ id, entries: own = [] }) => own.map((entry) => ({ of: id, ...entry })))
  return printSections(...printTables(fieldsOf(entriesOf('Transfer', 'id')), { entries }))
}

const note = option('--reason <reason>', 'why')

const toWanted = async (session: Session, row: CsvRow): Promise<object> => {
  const { transfer = '', decision, requisite, to, merchant, note: why } = row.cells
  return atLine(row, async () => {
    const requisiteId = requisite === undefined ? undefined : await resolveId(session, 'requisite', requisite)
    const wanted = { ...(await resolveKey(session, 'transfer', transfer, { requisiteId })), decision, note: why }
    if (to === undefined) return wanted
    const typed = to.split(' + ').flatMap((each) => shares(each.trim()))
    return { ...wanted, shares: await findShares(session, typed, merchant) }
  })
}

const decide = decideByFile({
  name: 'transfers',
  description:
    'Decide about up to 1000 transfers in the inbox from a file, and show each result. CSV: the first line names the columns transfer, decision (assign, accept, ignore, same-money, other-money, park, unpark); optional: to (order-42, or order-42=1500.00 + order-43), requisite, merchant, note. A file named *.json is sent unchanged. Exits with 1 if one was refused.',
  form: '{ requisiteId, id, decision, shares?, note? }',
  aboutReason: 'why; for rows without their own note',
  needed: ['transfer', 'decision'],
  optional: ['requisite', 'to', 'merchant', 'note'],
  toWanted,
  print: (answer: DecideAnswer) =>
    printSections(printAnswer(transferDecisions, 'decide', answer), describeEntries(answer)),
})

const accept = commandOf(
  transferDecisions,
  'decide',
  {
    inputs: { ...transferKey, note },
    body: ({ requisiteId, id, note: why }) => ({ transfers: [{ requisiteId, id, decision: 'accept' }], note: why }),
  },
  'accept',
)

const sameMoney = commandOf(
  transferDecisions,
  'decide',
  {
    inputs: {
      statementId: resolvedId(
        option('--statement <statement>', 'statement whose possible duplicates are all the same money'),
        'statement',
      ),
      transfers: resolvedKeys(
        option('--transfer <transfer>', 'bank reference or id of a possible duplicate; repeat for more', several),
        'transfer',
      ),
      reason: required('--reason <reason>', 'why'),
    },
    body: (given) => {
      const { statementId, transfers, reason } = given as { statementId?: string; transfers?: object[]; reason: string }
      if ((statementId === undefined) === (transfers === undefined))
        throw new Failure(['Give either --statement or --transfer.'], 2)
      return {
        statementId,
        transfers: transfers?.map((each) => ({ ...each, decision: 'same-money' })),
        note: reason,
      }
    },
  },
  'same-money',
)

const park = commandOf(
  transferDecisions,
  'decide',
  {
    inputs: { ...transferKey, reason: required('--reason <reason>', 'why') },
    body: ({ requisiteId, id, reason }) => ({ transfers: [{ requisiteId, id, decision: 'park' }], note: reason }),
  },
  'park',
)

/** Commands that decide about many transfers at once, or about one that needs no more than its name. */
export const manyDecisions: Commands = { decide, accept, park, 'same-money': sameMoney }
