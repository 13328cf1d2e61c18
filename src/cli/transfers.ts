import { InvalidArgumentError } from 'commander'
import type { DecidedDuplicate } from '../http/operator-api/same-money.ts'
import type { ListedTransfer, RecordedAnswer } from '../http/operator-api/transfers.ts'
import { type Group, list, request } from './commands.ts'
import { argument, flag, option, page, required } from './inputs.ts'
import { printAmount, type Printed, printRows, printSections, printTime } from './print-table.ts'
import { exactNumber, manyOrOne, time } from './read-arguments.ts'

/** What to decide about possible duplicates in the inbox, one line each. */
const describeDuplicates = (transfers: readonly ListedTransfer[]): string | undefined => {
  const doubtful = transfers.filter(({ kind, duplicateOf }) => kind === 'suspense' && duplicateOf !== undefined)
  if (doubtful.length === 0) return undefined
  const lines = doubtful.map(
    ({ id, duplicateOf }) => `${id} may be the same money as ${duplicateOf}, which was reported before.`,
  )
  const hint =
    'The same money: payin transfers ignore, or same-money for many. Other money: payin transfers assign, or ignore --other-money.'
  return [...lines, hint].join('\n')
}

const destination = ({ kind, paymentId }: RecordedAnswer | ListedTransfer): string =>
  paymentId === undefined ? kind : `${kind} ${paymentId}`

const describeReversed = ({ reversedAmount, reversedAt, currency }: ListedTransfer): string | undefined => {
  if (reversedAmount === undefined) return undefined
  return reversedAt === undefined
    ? `The bank took ${printAmount(reversedAmount, currency)} of it back.`
    : `The bank took it back at ${printTime(reversedAt)}.`
}

const describeParts = (transfer: ListedTransfer): Printed => {
  const { parts, currency, duplicateOf } = transfer
  const reversed = describeReversed(transfer)
  const table = printRows(parts, {
    'WENT TO': 'kind',
    'AMOUNT>': ({ amount }) => printAmount(amount, currency),
    PAYMENT: 'paymentId',
  })
  const isDuplicate = parts.some(({ kind }) => kind === 'duplicate')
  return printSections(
    reversed,
    table,
    isDuplicate ? `It is the money of transfer ${duplicateOf}; the books have it once, as that one.` : undefined,
  )
}

type Share = { readonly merchantId: string; readonly paymentId: string; readonly amount: object }

const shares = (typed: string, before: readonly Share[] = []): readonly Share[] => {
  const [, merchantId, paymentId, amount] = /^([^/=]+)\/([^/=]+)=(.+)$/.exec(typed) ?? []
  if (!merchantId || !paymentId || !amount) throw new InvalidArgumentError('Write merchant-id/payment-id=5000.37.')
  return [...before, { merchantId, paymentId, amount: exactNumber(amount) }]
}

const transfer = {
  requisiteId: argument('<requisite-id>', 'requisite that received it'),
  id: argument('<transfer-id>', 'id of the transfer'),
}
const reason = required('--reason <text>', 'why')
const bookedAt = option('--booked-at <time>', 'when the bank booked it; default: now', time)

const decisions = {
  assign: request({
    description: 'Assign a transfer in the inbox to a payment, or split it over several; the rest goes on waiting.',
    request: 'POST /transfers/{requisiteId}/{id}/assign',
    inputs: {
      ...transfer,
      shares: required('--to <merchant-id/payment-id=amount>', 'payment and its share; again for more', shares),
      note: option('--note <text>', 'why'),
    },
    print: describeParts,
  }),
  ignore: request({
    description:
      'Say that a transfer in the inbox belongs to no payment or, of a possible duplicate, that it is the same money.',
    request: 'POST /transfers/{requisiteId}/{id}/ignore',
    inputs: {
      ...transfer,
      reason,
      otherMoney: flag('--other-money', 'the possible duplicate is money of its own'),
    },
    print: describeParts,
  }),
  unassign: request({
    description: 'Return a transfer to the inbox, by reversing entries.',
    request: 'POST /transfers/{requisiteId}/{id}/unassign',
    inputs: { ...transfer, reason },
    print: describeParts,
  }),
  reverse: request({
    description:
      'Record that the bank took a transfer back: waiting money leaves suspense; a credit is reversed, and its payment stays paid.',
    request: 'POST /transfers/{requisiteId}/{id}/reverse',
    inputs: { ...transfer, reason, bookedAt },
    print: describeParts,
  }),
}

type Key = { readonly requisiteId: string; readonly id: string }

const keys = (typed: string, before: readonly Key[] = []): readonly Key[] => {
  const [, requisiteId, id] = /^([^/]+)\/([^/]+)$/.exec(typed) ?? []
  if (!requisiteId || !id) throw new InvalidArgumentError('Write requisite-id/transfer-id.')
  return [...before, { requisiteId, id }]
}

const sameMoney = list({
  description:
    'Say of possible duplicates that they are the same money: of all of a statement, or of those named. Ends with 1 when one was refused.',
  request: 'POST /transfers/same-money',
  inputs: {
    statementId: option('--statement <id>', 'statement whose possible duplicates all are the same money'),
    transfers: option('--transfer <requisite-id/transfer-id>', 'a possible duplicate; again for more', keys),
    reason,
  },
  rows: (answer: { transfers: DecidedDuplicate[] }) => answer.transfers,
  empty: 'Nothing waits as a possible duplicate.',
  columns: { TRANSFER: 'id', STATE: 'state', 'MONEY OF': 'duplicateOf', WHY: 'message' },
  patient: true,
  failed: ({ transfers }) => transfers.some(({ state }) => state === 'refused'),
})

/** `payin transfers`. */
export const transferCommands: Group = {
  description: 'Money that banks report.',
  examples: [
    'payin transfers record --requisite 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10 --amount 5000.37 --currency rub --reference A1',
    'payin transfers record --file transfers.json      (JSON array; - reads it from standard input)',
    'payin transfers list --unmatched',
    'payin transfers same-money --statement <id> --reason "the evening file of the same account"',
    'payin transfers assign <requisite-id> <transfer-id> --to <merchant-id>/<payment-id>=5000.37',
  ],
  commands: {
    ...decisions,
    'same-money': sameMoney,
    record: list({
      description:
        'Record one transfer by options, or many by --file, all or none: [{ requisiteId, amount, currency, bookedAt, bankReference?, sender? }]. Each is matched to its payment at once. With a reference, a transfer that is reported again counts once.',
      request: 'POST /transfers',
      inputs: {
        file: option('--file <path>', 'JSON array of at most 1000 transfers; - for standard input'),
        requisiteId: option('--requisite <id>', 'requisite that received it'),
        amount: option('--amount <amount>', 'exact amount', exactNumber),
        currency: option('--currency <currency>', 'code, such as rub'),
        bookedAt,
        bankReference: option('--reference <text>', "the bank's own identifier of the transfer"),
        sender: option('--sender <number>', "sender's phone, card or account number"),
      },
      body: ({ file, ...given }, session) => {
        const { requisiteId: requisite, amount, currency } = given
        return manyOrOne(session.surroundings, 'transfers', file, { requisite, amount, currency }, async () => ({
          ...given,
          bookedAt: given.bookedAt ?? (await session.now()),
        }))
      },
      rows: (answer: { transfers: RecordedAnswer[] }) => answer.transfers,
      columns: {
        TRANSFER: 'id',
        OUTCOME: ({ alreadyKnown, outcome }) => (alreadyKnown ? `${outcome} (already known)` : outcome),
        'WENT TO': destination,
        WHY: ({ reasons }) => reasons.join('; '),
      },
    }),
    list: list({
      description: 'List transfers, the newest first.',
      request: 'GET /transfers',
      inputs: { unmatched: flag('--unmatched', 'only those that wait for a decision', 'true'), ...page },
      rows: (answer: { transfers: ListedTransfer[] }) => answer.transfers,
      empty: ({ unmatched }) => (unmatched === undefined ? 'No transfers yet.' : 'Nothing waits for a decision.'),
      columns: {
        BOOKED: ({ bookedAt: at }) => printTime(at),
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        OUTCOME: 'outcome',
        'WENT TO': destination,
        SENDER: 'sender',
        REFERENCE: 'bankReference',
        REQUISITE: 'requisiteId',
        ID: 'id',
      },
      notes: ({ transfers: listed }) => describeDuplicates(listed),
    }),
  },
}
