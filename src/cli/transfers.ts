import { nameOf } from '../operations/named.ts'
import { describeEvidence, listContradictions } from '../rules/transfers/evidence-words.ts'
import { minute } from '../rules/time.ts'
import { partKinds, unusualTransfers } from '../rules/transfers/transfer.ts'
import type { TransferDetails } from '../http/operator-api/inbox.ts'
import type { RevealedNumber } from '../http/operator-api/reveal.ts'
import type { ListedTransfer, RecordedAnswer } from '../http/operator-api/transfers.ts'
import { describePayments, describeRevocable, findShares, manyDecisions, shares } from './decide-transfers.ts'
import { type Group, list, request } from './commands.ts'
import { argument, choice, flag, option, required } from './inputs.ts'
import { filters, idOption, ofRequisite, transferKey } from './named-inputs.ts'
import {
  describeNotes,
  printAccount,
  printAmount,
  type Printed,
  printFields,
  printRows,
  printSections,
  printSpan,
  printTime,
  printSome,
} from './print-table.ts'
import { exactNumber, manyOrOne, time } from './read-arguments.ts'
import { shortenIds } from './short-ids.ts'

/** One line for each possible duplicate in the inbox. */
const describeDuplicates = (transfers: readonly ListedTransfer[]): string | undefined => {
  const doubtful = transfers.filter(({ kind, duplicateOf }) => kind === 'suspense' && duplicateOf !== undefined)
  if (doubtful.length === 0) return undefined
  const ids = shortenIds(doubtful.flatMap(({ id, duplicateOf = '' }) => [id, duplicateOf]))
  const lines = doubtful.map(
    (_, index) => `${ids[2 * index]} may be the same money as ${ids[2 * index + 1]}, which was reported before.`,
  )
  const hint =
    'The same money: payin transfers ignore, or same-money for many. Other money: payin transfers assign, or ignore --other-money.'
  return [...lines, hint].join('\n')
}

/** Where the money is: the order that it paid, or why it paid none. */
const destination = ({ kind, paymentId, orderId }: RecordedAnswer | ListedTransfer): string => {
  const words: Readonly<Record<string, string>> = { suspense: 'inbox' }
  const word = words[kind] ?? kind
  return paymentId === undefined ? word : `${kind === 'payment' ? '' : `${word} `}${orderId ?? paymentId}`
}

const withReason = (by: string, why: string | undefined): string => (why === undefined ? by : `${by}: ${why}`)

/** Who decided where the money went, or returned it to the inbox, and why, unless the service did. */
const decidedBy = ({ parts }: ListedTransfer): string | undefined => {
  const acts = parts.filter(({ by }) => by !== 'service').map(({ by, note }) => withReason(by, note))
  return [...new Set(acts)].join('\n') || undefined
}

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
    'ORDER~': ({ orderId, paymentId }) => orderId ?? paymentId,
    'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
    BY: 'by',
    'NOTE~': 'note',
  })
  const isDuplicate = parts.some(({ kind }) => kind === 'duplicate')
  return printSections(
    reversed,
    table,
    isDuplicate ? `It is the money of transfer ${duplicateOf}, and is in the books once, as that one.` : undefined,
  )
}

/** What accepting the first suggestion would do, or why it can no longer be accepted. */
const describeEffect = ({ suggestions: [first] }: TransferDetails): Printed | undefined => {
  if (first?.refused !== undefined) return `${first.orderId} can no longer be accepted: ${first.refused}`
  if (!first?.entries || first.entries.length === 0) return undefined
  return printSections(
    printRows(first.entries, {
      [`IF IT IS FOR ${first.orderId}`]: 'kind',
      'DEBIT~': ({ debitName, debit }) => debitName ?? debit,
      'CREDIT~': ({ creditName, credit }) => creditName ?? credit,
      'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
    }),
    printFields({ Payments: describePayments(first), Revocable: describeRevocable(first) }),
  )
}

type Suggested = TransferDetails['suggestions'][number]

const describeDifference = ({ difference }: Suggested, currency: string): string => {
  if (difference === 0) return 'exact'
  return `${difference > 0 ? '+' : ''}${printAmount(difference, currency)}`
}

/** How old a payment was when the bank booked the money. */
const ageAt = (bookedAt: string, { createdAt }: Suggested): string | undefined => {
  const ms = Date.parse(bookedAt) - Date.parse(createdAt)
  return ms < 0 ? undefined : printSpan(Math.floor(ms / minute) * minute)
}

const describeSuggestions = ({ suggestions, currency, bookedAt }: TransferDetails): Printed | undefined =>
  printSome(suggestions, {
    'MAY BE FOR~': 'orderId',
    'AMOUNT>': ({ amount }) => printAmount(amount, currency),
    'DIFFERENCE>': (suggested) => describeDifference(suggested, currency),
    'EVIDENCE~': ({ evidence }) => describeEvidence(evidence),
    'PAYER~': 'payer',
    'AGE>': (suggested) => ageAt(bookedAt, suggested),
    'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
    'PAYMENT#': 'paymentId',
  })

/** What to do with money in the inbox, as commands to type. */
const suggestNext = (transfer: TransferDetails): string | undefined => {
  if (transfer.parts.every(({ kind }) => kind !== 'suspense')) return undefined
  const named = nameOf({ ...transfer, id: shortenIds([transfer.id], { madeTogether: true })[0] ?? transfer.id })
  const [best] = transfer.suggestions
  const isDoubtful = best === undefined || listContradictions(best.evidence).length > 0
  const accept = isDoubtful ? '' : `payin transfers accept ${named} (for ${best.orderId}), or `
  return `It waits: ${accept}payin transfers assign ${named} --to <order>, or ignore it with a --reason.`
}

const describe = (transfer: TransferDetails): Printed => {
  const { reasons, parked } = transfer
  return printSections(
    printFields({
      Id: transfer.id,
      Amount: printAmount(transfer.amount, transfer.currency),
      Booked: printTime(transfer.bookedAt),
      Requisite: printAccount(transfer.requisite, transfer.requisiteId),
      Sender: [transfer.senderName, transfer.sender].filter(Boolean).join(' ') || undefined,
      'Sender bank': transfer.senderBank,
      Text: transfer.text,
      'Bank reference': transfer.bankReference,
      Source: transfer.channel === undefined ? transfer.source : `${transfer.source} (${transfer.channel})`,
      Statements: transfer.statements.map(({ fileName, line }) => `${fileName}, line ${line}`).join('; ') || undefined,
      Outcome: transfer.outcome,
      Why: reasons.join('; ') || undefined,
      Parked: parked && [printTime(parked.at), parked.by, parked.why].filter(Boolean).join(', '),
    }),
    describeParts(transfer),
    describeNotes(transfer),
    suggestNext(transfer),
    describeSuggestions(transfer),
    describeEffect(transfer),
  )
}

const reason = required('--reason <text>', 'why')
const bookedAt = option('--booked-at <time>', 'when the bank booked it; default: now', time)

const decisions = {
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
      note: option('--reason <text>', 'why'),
    },
    body: async ({ shares: named, merchant, note }, session) => ({
      shares: await findShares(session, named, merchant),
      note,
    }),
    print: describeParts,
  }),
  ignore: request('POST /transfers/{requisiteId}/{id}/ignore', {
    description:
      'Say that a transfer in the inbox belongs to no payment or, if it is a possible duplicate, that it is the same money.',
    inputs: {
      ...transferKey,
      reason,
      otherMoney: flag('--other-money', 'the possible duplicate is separate money'),
    },
    print: describeParts,
  }),
  unassign: request('POST /transfers/{requisiteId}/{id}/unassign', {
    description: 'Return a transfer to the inbox by reversing entries.',
    inputs: { ...transferKey, reason },
    print: describeParts,
  }),
  reveal: request('POST /transfers/{requisiteId}/{id}/reveal', {
    description: 'Show the whole number of the sender of a transfer. The audit records who saw it and why.',
    inputs: { ...transferKey, reason },
    print: ({ number }: RevealedNumber) => number,
  }),
  note: request('POST /transfers/{requisiteId}/{id}/notes', {
    description: 'Write a note about a transfer.',
    inputs: { ...transferKey, text: argument('<text>', 'the note') },
    print: describeNotes,
  }),
  reverse: request('POST /transfers/{requisiteId}/{id}/reverse', {
    description:
      'Record that the bank took a transfer back: waiting money leaves suspense; a credit is reversed, and its payment stays paid.',
    inputs: { ...transferKey, reason, bookedAt },
    print: describeParts,
  }),
}

/** The options of the list of transfers. */
const transferFilters = {
  unmatched: flag('--unmatched', 'only those that wait for a decision', 'true'),
  parked: flag('--parked', 'only parked ones', 'true'),
  ...filters('recorded'),
  kind: choice('--kind <kind>', 'only those with money that went there', partKinds),
  sender: option('--sender <number>', 'only from this sender: the whole phone, card or account number'),
  statementId: idOption('--statement <statement>', 'only those that this statement reports', 'statement'),
  unusual: choice(
    '--unusual <how>',
    'only those with another amount, late, for a paid or disputed payment, or possible duplicates',
    unusualTransfers,
  ),
}

export const transferCommands: Group = {
  description: 'Money that banks report.',
  examples: [
    'payin transfers record --requisite "sberbank 4821" --amount 5000.37 --currency rub --reference A1',
    'payin transfers record --file transfers.json      (JSON array; - reads it from standard input)',
    'payin transfers list --unmatched --from 24h --count',
    'payin transfers list --unusual duplicate --requisite "sberbank 4821"',
    'payin transfers accept bank-77      (as it is suggested)',
    'payin transfers decide --file decisions.csv --preview',
    'payin transfers same-money --statement 019a9c3e-7d5e --reason "the evening file of the same account"',
    'payin transfers show 019a9c3e-7d5e',
    'payin transfers assign 019a9c3e-7d5e --to order-42      (all that waits of it)',
    'payin transfers assign 019a9c3e-7d5e --to order-42=1500.00 --to order-43=200',
  ],
  commands: {
    show: request('GET /transfers/{requisiteId}/{id}', {
      description: 'Show a transfer: where its money went, and the payments that it may be for.',
      inputs: transferKey,
      print: describe,
    }),
    ...decisions,
    ...manyDecisions,
    record: list('POST /transfers', {
      description:
        'Record one transfer with options, or many with --file, all or none: [{ requisiteId, amount, currency, bookedAt, bankReference?, sender?, senderName?, senderBank?, text? }]. Each is matched to its payment immediately. With a reference, a transfer that is reported again counts once.',
      inputs: {
        file: option('--file <path>', 'JSON array of at most 1000 transfers; - for standard input'),
        requisiteId: ofRequisite(' that received it'),
        amount: option('--amount <amount>', 'exact amount', exactNumber),
        currency: option('--currency <currency>', 'code, such as rub'),
        bookedAt,
        bankReference: option('--reference <text>', "the bank's own identifier of the transfer"),
        sender: option('--sender <number>', "sender's phone, card or account number"),
        senderName: option('--sender-name <name>', "sender's name as the bank shows it"),
        senderBank: option('--sender-bank <code>', "code of the sender's bank"),
        text: option('--text <text>', 'message of the transfer'),
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
        'ID%': 'id',
        OUTCOME: ({ alreadyKnown, outcome }) => (alreadyKnown ? `${outcome} (already known)` : outcome),
        'WENT TO~': destination,
        'WHY~': ({ reasons }) => reasons.join('; '),
      },
    }),
    list: list('GET /transfers', {
      description: 'List transfers, newest first.',
      inputs: transferFilters,
      rows: (answer: { transfers: ListedTransfer[] }) => answer.transfers,
      empty: ({ unmatched }) =>
        unmatched === undefined
          ? 'No such transfers. Statements and feeds report them: payin statements import <file>'
          : 'Nothing waits for a decision. All transfers: payin transfers list',
      columns: {
        'TRANSFER%': nameOf,
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        'WENT TO~': destination,
        BOOKED: ({ bookedAt: at }) => printTime(at),
        'MAY BE FOR~': ({ suggestions: [best] }) => best?.orderId,
        'SENDER~': ({ senderName, sender }) => [senderName, sender].filter(Boolean).join(' ') || undefined,
        'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
        OUTCOME: 'outcome',
        'REFERENCE~': 'bankReference',
        'DECIDED BY~': decidedBy,
        'PARKED~': ({ parked }) => parked && withReason(parked.by, parked.why),
        'ID%': 'id',
      },
      notes: ({ transfers: listed }) => describeDuplicates(listed),
    }),
  },
}
