import { merchantModes } from '../rules/merchants/merchant.ts'
import { unusualPayments } from '../rules/payments/payment.ts'
import type { PaymentSummaryAnswer } from '../http/operator-api/overview.ts'
import { FilterQuery } from '../operations/lists.ts'
import { request, type Group, list } from './commands.ts'
import { choice, type Input, option, resolvedBy, required, argument, flag, onlyGiven, resolved } from './inputs.ts'
import { inputsOf, typedFields } from './field-inputs.ts'
import { instantOf, ofMerchant, orderKey, paymentKey } from './named-inputs.ts'
import {
  type Columns,
  type Printed,
  printRows,
  printSections,
  printSpan,
  printTime,
  describeNotes,
  printAccount,
  printAmount,
  printFields,
  printSome,
} from './print-table.ts'
import { timeSpanOrDay } from './read-arguments.ts'
import type { ListedPayment } from '../../sdk/src/payin-sdk.ts'
import type { OperatorPayment, Timeline } from '../operations/payments.ts'
import type { RevealedNumber } from '../http/operator-api/reveal.ts'
import { ownLink } from './links.ts'
import { merchantPaymentCommands } from './merchant-payments.ts'
import { resolveId } from './resolve-name.ts'

type Totals = PaymentSummaryAnswer['total']

const hourMs = 60 * 60 * 1000

/** An option that takes a time or a span before now, rounded down to the hour. */
const wholeHour = (flags: string, description: string, usual?: string): Input<string | undefined> =>
  resolvedBy(
    option(flags, `${description}: a time, a day such as yesterday, or how long ago, such as 7d`, timeSpanOrDay),
    async (session, typed = usual === undefined ? undefined : timeSpanOrDay(usual)) => {
      if (typed === undefined) return undefined
      const at = Date.parse(await instantOf(session, typed))
      return new Date(at - (at % hourMs)).toISOString()
    },
  )

const percent = (share: number | undefined): string | undefined =>
  share === undefined ? undefined : `${(share * 100).toFixed(1)} %`

const columns: Columns<Totals> = {
  'CREATED>': 'created',
  'SHOWN>': 'shown',
  'CLAIMED>': 'claimed',
  'PAID>': 'paid',
  'EXPIRED>': 'expired',
  'SUCCESS>': ({ successRate }) => percent(successRate),
  'CREDITED>': ({ credited }) =>
    credited.map(({ amount, currency }) => `${amount} ${currency}`).join('\n') || undefined,
}

const describeSummary = ({ from, to, mode, total, medianMs, methods, banks }: PaymentSummaryAnswer): Printed =>
  printSections(
    `${mode === 'sandbox' ? 'Sandbox: payments' : 'Payments'} created from ${printTime(from)} to ${printTime(to)}`,
    printRows([total], columns),
    medianMs === undefined ? undefined : `Half of them were paid within ${printSpan(medianMs - (medianMs % 1000))}.`,
    printSome(methods, { METHOD: 'method', ...columns }),
    printSome(banks, { BANK: 'bank', ...columns }),
  )

const paymentSummary = request('GET /overview/payments', {
  description: 'Show the outcomes of the payments of a period, by method and bank of the requisite.',
  inputs: {
    from: wholeHour('--from <time>', 'only those created since then, in whole hours (default: 24h)', '24h'),
    to: wholeHour('--to <time>', 'only those created before, in whole hours'),
    merchantId: ofMerchant(),
    mode: choice('--mode <mode>', 'of all merchants, only those in this mode; default: live, if there are any', [
      ...merchantModes,
    ]),
  },
  print: describeSummary,
})

/** A table each of the payment's transfers, disputes and deliveries, without the empty ones. */
const describeRelated = (
  { transfers, disputes, deliveries }: Pick<Timeline, 'transfers' | 'disputes' | 'deliveries'>,
  currency: string,
): (Printed | undefined)[] => [
  printSome(transfers, {
    BOOKED: ({ bookedAt }) => printTime(bookedAt),
    'MONEY>': ({ amount }) => printAmount(amount, currency),
    KIND: 'kind',
    OUTCOME: 'outcome',
    BY: 'by',
    'NOTE~': 'note',
    'SENDER~': 'sender',
    'REFERENCE~': 'bankReference',
    'TRANSFER%': 'id',
  }),
  printSome(disputes, {
    OPENED: ({ openedAt }) => printTime(openedAt),
    'CLAIMED>': ({ amount }) => printAmount(amount, currency),
    STATE: 'state',
    REASON: 'reason',
    'DISPUTE#': 'id',
  }),
  printSome(deliveries, {
    QUEUED: ({ queuedAt }) => printTime(queuedAt),
    EVENT: 'type',
    DELIVERY: 'status',
    'ATTEMPTS>': 'attempts',
    'ENDPOINT#': 'endpointId',
    'DELIVERY ID#': 'eventId',
  }),
]

/** Money received for a payment that banks took back or that was returned to its payer. */
const takenBack = (entries: Timeline['entries'], currency: string): string | undefined => {
  const returned = entries.filter((entry) => entry.kind === 'return' && entry.credit.startsWith('bank:'))
  if (returned.length === 0) return undefined
  return printAmount(
    returned.reduce((sum, { amount }) => sum + amount, 0),
    currency,
  )
}

const describe = (timeline: Timeline): Printed => {
  const { events, entries, receipts, transfers, disputes, deliveries, notes, ...payment } = timeline
  const { currency, finalAmount, total } = payment
  return printSections(
    printFields({
      Id: payment.id,
      Order: payment.orderId,
      Merchant: payment.merchantName ?? payment.merchantId,
      Status: `${payment.status} (${payment.statusReason})`,
      Amount: printAmount(payment.amount, currency),
      Received: printAmount(payment.receivedAmount, currency),
      'Taken back': takenBack(entries, currency),
      'Final amount': finalAmount === undefined ? undefined : printAmount(finalAmount, currency),
      Total: `${printAmount(total.amount, total.currency)} at ${payment.rate.price}`,
      Method: `${payment.method}, ${payment.type}`,
      Requisite: printAccount(payment.requisite, payment.requisiteId),
      User: payment.userId,
      Payer: payment.sourcePan || undefined,
      Created: printTime(payment.createdAt),
      Expires: printTime(payment.expiredAt),
      Acknowledged: printTime(payment.acknowledgedAt),
      'Claim received': printTime(payment.claimReceivedAt),
      Receipts: receipts.map((receipt) => `${receipt.id} (${receipt.contentType})`).join(', ') || undefined,
    }),
    printRows(events, {
      AT: ({ at }) => printTime(at),
      '#>': 'sequence',
      STATUS: 'status',
      REASON: 'statusReason',
      BY: 'actor',
    }),
    printSome(entries, {
      POSTED: ({ postedAt }) => printTime(postedAt),
      KIND: 'kind',
      'AMOUNT>': (entry) => printAmount(entry.amount, entry.currency),
      'FROM~': ({ debitName, debit }) => debitName ?? debit,
      'TO~': ({ creditName, credit }) => creditName ?? credit,
    }),
    ...describeRelated({ transfers, disputes, deliveries }, currency),
    describeNotes({ notes }),
  )
}

/** A payment as operators list it, or as its merchant does. */
type EitherPayment = ListedPayment &
  Partial<Pick<OperatorPayment, 'merchantId' | 'merchantName' | 'requisiteId' | 'requisite'>>

type CanceledPayment = Pick<EitherPayment, 'orderId' | 'status'>

/** The options of the list of payments. */
const paymentFilters = {
  ...inputsOf(typedFields({ query: FilterQuery }, {})),
  status: option('--status <status>', 'only this status'),
  userId: option('--user <id>', "only this user, by the merchant's identifier"),
  payerDigits: option('--payer <digits>', "only those whose payer's number ends in these four digits"),
  linkId: resolved(
    option('--link <link>', 'only those started from this payment link: its title or id'),
    (session, typed) => (session.side() === 'merchant' ? ownLink(session, typed) : resolveId(session, 'link', typed)),
  ),
  unusual: choice('--unusual <how>', 'only those with another amount, late, or disputed', [...unusualPayments]),
  acknowledged: flag('--unacknowledged', 'only those that are paid but not acknowledged by their merchant', 'false'),
}

export const paymentCommands: Group = {
  description: "Payments of all merchants; with a merchant token, that merchant's own.",
  examples: [
    'payin payments create 1500.01 rub --order order-42',
    'payin payments wait order-42 --timeout 60s && payin payments ack order-42',
    'payin payments list --merchant "Demo Shop" --status new',
    'payin payments list --from 24h --bank sberbank --amount-from 10000 --currency rub --count',
    'payin payments list --status paid --from 31d --csv > payments.csv',
    'payin payments list --unusual late',
    'payin payments show order-42',
    'payin payments show 019a9c3e-7d5e',
    'payin payments note order-42 "the payer sends the rest tomorrow"',
    'payin payments cancel order-42 --merchant "Demo Shop"',
  ],
  commands: {
    list: list('GET /payments', {
      description: 'List payments, newest first.',
      inputs: paymentFilters,
      // Sent as typed: the service reports what is wrong with them.
      asMerchant: (payin, query) => payin.payments.page(onlyGiven(query) as object),
      csvAsMerchant: (payin, given) => payin.payments.csv(given),
      rows: (answer: { payments: EitherPayment[] }) => answer.payments,
      empty: 'No such payments. Merchants create them with a token: payin tokens issue <merchant> --name "shop server"',
      columns: {
        'ORDER~': 'orderId',
        STATUS: 'status',
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        CREATED: ({ createdAt }) => printTime(createdAt),
        'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
        REASON: 'statusReason',
        'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
        METHOD: 'method',
        'ID#': 'id',
      },
    }),
    summary: paymentSummary,
    show: request('GET /payments/{merchantId}/{id}', {
      description: 'Show a payment with its events, ledger entries, transfers, disputes, deliveries and notes.',
      inputs: paymentKey,
      print: describe,
    }),
    reveal: request('POST /payments/{merchantId}/{id}/reveal', {
      description: 'Show the whole number of the payer of a payment. The audit records who saw it and why.',
      inputs: { ...paymentKey, reason: required('--reason <reason>', 'why') },
      print: ({ number }: RevealedNumber) => number,
    }),
    note: request('POST /payments/{merchantId}/{id}/notes', {
      description: 'Write a note about a payment.',
      inputs: { ...paymentKey, text: argument('<text>', 'the note') },
      print: describeNotes,
    }),
    cancel: request('POST /payments/{merchantId}/{id}/cancel', {
      description: 'Cancel a payment that has not received any money.',
      inputs: orderKey,
      asMerchant: (payin, { id }): Promise<CanceledPayment> => payin.payments.cancel(id),
      print: ({ orderId, status }) => `${orderId} is ${status}.`,
    }),
    ...merchantPaymentCommands,
  },
}
