import type { CsvRow } from '../rules/statements/csv-table.ts'
import { exactNumber } from './read-arguments.ts'
import { resolveId, resolveName } from './resolve-name.ts'
import type { Session } from './session.ts'
import type { DecideAnswer, DecidedTransfer } from '../http/operator-api/decide-transfers.ts'
import { type Commands, list } from './commands.ts'
import { decideByFile, describeCounts, isRefused } from './decide-by-file.ts'
import { Failure } from './failure.ts'
import { option, required, several } from './inputs.ts'
import { resolvedId, resolvedKeys, resolveKey, transferKey } from './named-inputs.ts'
import { printAccount, printAmount, printList, printRows, printSections } from './print-table.ts'
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

const note = option('--reason <reason>', 'why')

type Effect = Pick<DecidedTransfer, 'payments' | 'revocable' | 'whyIrrevocable'>

/** What becomes of the payments that get money, one per line. */
export const describePayments = ({ payments = [] }: Effect): string =>
  payments
    .map(({ orderId, before, after, finalAmount, currency }) => {
      const change = before === after ? `stays ${after}` : `${before} → ${after}`
      return `${orderId} ${change}${finalAmount === undefined ? '' : ` with ${printAmount(finalAmount, currency)}`}`
    })
    .join('\n')

/** Whether the decision could be revoked, or why not. */
export const describeRevocable = ({ revocable, whyIrrevocable }: Effect): string | undefined =>
  revocable === undefined ? undefined : revocable ? 'for a day' : `no: ${whyIrrevocable}`

const columns = {
  'ID%': 'id',
  'REQUISITE~': ({ requisite, requisiteId }: DecidedTransfer) => printAccount(requisite, requisiteId),
  DECISION: 'decision',
  STATE: 'state',
  'WHY~': 'message',
  'PAYMENTS~': describePayments,
  'REVOCABLE~': describeRevocable,
} as const

const describeEntries = ({ transfers }: DecideAnswer) => {
  const entries = transfers.flatMap(({ id, entries: own = [] }) => own.map((entry) => ({ transfer: id, ...entry })))
  if (entries.length === 0) return undefined
  return printRows(entries, {
    'TRANSFER%': 'transfer',
    ENTRY: 'kind',
    'DEBIT~': ({ debitName, debit }) => debitName ?? debit,
    'CREDIT~': ({ creditName, credit }) => creditName ?? credit,
    'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
  })
}

const common = {
  rows: (answer: DecideAnswer) => answer.transfers,
  columns,
  notes: ({ transfers }: DecideAnswer) => describeCounts(transfers),
  patient: true,
  failed: ({ transfers }: DecideAnswer) => transfers.some(isRefused),
} as const

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
    printSections(printList(answer.transfers, columns), describeEntries(answer), describeCounts(answer.transfers)),
})

const accept = list('POST /transfers/decide', {
  ...common,
  description: 'Assign a transfer in the inbox as its first suggestion says.',
  inputs: { ...transferKey, note },
  body: ({ requisiteId, id, note: why }) => ({ transfers: [{ requisiteId, id, decision: 'accept' }], note: why }),
})

const sameMoney = list('POST /transfers/decide', {
  ...common,
  description:
    'Say that possible duplicates are the same money: all of a statement, or those named. Exits with 1 if one was refused.',
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
  body: ({ statementId, transfers, reason }) => {
    if ((statementId === undefined) === (transfers === undefined))
      throw new Failure(['Give either --statement or --transfer.'], 2)
    return {
      statementId,
      transfers: transfers?.map((each) => ({ ...each, decision: 'same-money' })),
      note: reason,
    }
  },
  empty: 'No possible duplicates wait. Everything that waits: payin transfers list --unmatched',
})

const park = list('POST /transfers/decide', {
  ...common,
  description: 'Park a transfer in the inbox for later, with the reason; any other decision ends that.',
  inputs: { ...transferKey, reason: required('--reason <reason>', 'why') },
  body: ({ requisiteId, id, reason }) => ({ transfers: [{ requisiteId, id, decision: 'park' }], note: reason }),
})

/** Commands that decide about many transfers at once, or about one that needs no more than its name. */
export const manyDecisions: Commands = { decide, accept, park, 'same-money': sameMoney }
