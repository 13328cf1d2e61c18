import { Type } from '../operations/schema.ts'
import { inbox } from '../operations/inbox.ts'
import { transfers } from '../operations/transfers.ts'
import { nounCommands } from './noun-commands.ts'
import { nameOf } from '../operations/named.ts'
import { describeEvidence, listContradictions } from '../rules/transfers/evidence-words.ts'
import { minute } from '../rules/time.ts'
import { TransferDetails } from '../operations/inbox.ts'
import type { RevealedNumber } from '../http/operator-api/reveal.ts'
import { destinationOf, ListedTransfer, NewTransfer, type RecordedAnswer } from '../operations/transfers.ts'
import { describePayments, describeRevocable, findShares, manyDecisions, shares } from './decide-transfers.ts'
import { type Commands, list, request } from './commands.ts'
import { option, required } from './inputs.ts'
import { inputsOfFields } from './field-inputs.ts'
import { transferKey } from './named-inputs.ts'
import {
  printAmount,
  type Printed,
  printFields,
  printRows,
  printSections,
  printSpan,
  printSome,
} from './print-table.ts'
import { manyOrOne } from './read-arguments.ts'
import { shortenIds } from './short-ids.ts'
import { printRow } from './show-rows.ts'

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

const { suggestions: _, ...otherFields } = TransferDetails.properties

const describe = (transfer: TransferDetails): Printed =>
  printSections(
    printRow(otherFields, transfer),
    suggestNext(transfer),
    describeSuggestions(transfer),
    describeEffect(transfer),
  )

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
  reveal: request('POST /transfers/{requisiteId}/{id}/reveal', {
    description: 'Show the whole number of the sender of a transfer. The audit records who saw it and why.',
    inputs: { ...transferKey, reason: required('--reason <reason>', 'why') },
    print: ({ number }: RevealedNumber) => number,
  }),
  ...manyDecisions,
  record: list('POST /transfers', {
    description:
      'Record one transfer with options, or many with --file, all or none: [{ requisiteId, amount, currency, bookedAt, bankReference?, sender?, senderName?, senderBank?, text? }]. Each is matched to its payment immediately. Without --booked-at, the bank booked it now. With a reference, a transfer that is reported again counts once.',
    inputs: {
      file: option('--file <path>', 'JSON array of at most 1000 transfers; - for standard input'),
      ...inputsOfFields(Type.Partial(NewTransfer), { options: { bankReference: '--reference' } }),
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
      'WENT TO~': destinationOf,
      'WHY~': ({ reasons }) => reasons.join('; '),
    },
  }),
}

/** Money that banks report. */
export const transferCommands = nounCommands(transfers, { ...nounCommands(inbox).commands, ...own })
