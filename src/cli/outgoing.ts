import { operatorPurposes, outgoingPurposes, outgoingStates } from '../domain/outgoing.ts'
import type { OutgoingAnswer } from '../http/operator-api/outgoing.ts'
import { type Group, list, request } from './commands.ts'
import { argument, choice, ofMerchant, option, page, required } from './inputs.ts'
import { printAmount, type Printed, printFields, printRows, printSections, printTime } from './print-table.ts'

const describe = (outgoing: OutgoingAnswer): Printed =>
  printSections(describeFields(outgoing), describeProposals(outgoing))

const describeProposals = ({ proposals }: OutgoingAnswer): Printed | undefined =>
  proposals.length === 0
    ? undefined
    : printRows(proposals, {
        PROPOSED: 'purpose',
        ORDER: 'orderId',
        BECAUSE: ({ reasons }) => reasons.join(', '),
        MERCHANT: 'merchantId',
        PAYMENT: 'paymentId',
        TRANSFER: 'transferId',
        DOCUMENT: 'documentId',
      })

const describeFields = (outgoing: OutgoingAnswer): Printed =>
  printFields({
    Outgoing: outgoing.id,
    Requisite: outgoing.requisiteId,
    State: outgoing.state,
    Amount: `${printAmount(outgoing.amount, outgoing.currency)}${outgoing.givenBack ? ', given back' : ''}`,
    Booked: printTime(outgoing.bookedAt),
    'Bank reference': outgoing.bankReference,
    Payee: [outgoing.payee, outgoing.payeeName].filter(Boolean).join(' ') || undefined,
    Text: outgoing.text,
    Purpose: outgoing.purpose,
    Payment: outgoing.paymentId,
    Merchant: outgoing.merchantId,
    Document: outgoing.documentId,
    Reason: outgoing.reason,
    Decided: outgoing.decidedBy && `${printTime(outgoing.decidedAt)} by ${outgoing.decidedBy}`,
    Source: outgoing.source,
  })

const outgoing = {
  requisiteId: argument('<requisite-id>', 'requisite whose account it left'),
  id: argument('<outgoing-id>', 'id of the outgoing transfer'),
}

/** `payin outgoing`. */
export const outgoingCommands: Group = {
  description: 'Money that left the accounts of requisites.',
  examples: [
    'payin outgoing list --state unexplained',
    'payin outgoing show <requisite-id> <outgoing-id>',
    'payin outgoing book <requisite-id> <outgoing-id> fee --reason "monthly fee"',
  ],
  commands: {
    list: list({
      description: 'List outgoing transfers, the newest first.',
      request: 'GET /outgoing',
      inputs: {
        state: choice('--state <state>', 'only those in this state', outgoingStates),
        purpose: choice('--purpose <purpose>', 'only those for this purpose', outgoingPurposes),
        requisiteId: option('--requisite <id>', 'only from this requisite'),
        ...page,
      },
      rows: (answer: { outgoing: OutgoingAnswer[] }) => answer.outgoing,
      empty: 'No outgoing transfers.',
      columns: {
        BOOKED: ({ bookedAt }) => printTime(bookedAt),
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        STATE: ({ state, purpose, givenBack }) => `${purpose ?? state}${givenBack ? ', given back' : ''}`,
        PROPOSED: ({ proposals: [first] }) => first && `${first.purpose} ${first.orderId ?? ''}`.trim(),
        PAYEE: ({ payee, payeeName }) => payeeName ?? payee,
        TEXT: ({ text }) => text?.slice(0, 40),
        REQUISITE: 'requisiteId',
        OUTGOING: 'id',
      },
    }),
    show: request({
      description: 'Show an outgoing transfer.',
      request: 'GET /outgoing/{requisiteId}/{id}',
      inputs: outgoing,
      print: describe,
    }),
    book: request({
      description: 'Book an outgoing transfer to what it was for.',
      request: 'POST /outgoing/{requisiteId}/{id}/book',
      inputs: {
        ...outgoing,
        purpose: argument('<purpose>', operatorPurposes.join(', ')),
        reason: required('--reason <text>', 'why'),
        merchantId: ofMerchant(', of a settlement'),
        settlementId: option('--settlement <id>', 'the settlement that it was sent for'),
        transferId: option('--transfer <id>', 'of own-account: as which it came in; default: the only one that fits'),
      },
      print: describe,
    }),
    confirm: request({
      description: 'Confirm that outgoing money was returned to a payer, by default as the only proposal says.',
      request: 'POST /outgoing/{requisiteId}/{id}/confirm',
      inputs: {
        ...outgoing,
        merchantId: ofMerchant(', of the payment'),
        paymentId: option('--payment <id>', 'refunded what the payer of this payment is owed'),
        transferId: option('--transfer <id>', 'took back this transfer'),
        documentId: option('--document <id>', 'is this refund or reversal, which was recorded before'),
        reason: option('--reason <text>', 'why'),
      },
      print: describe,
    }),
    unbook: request({
      description: 'Make a booked outgoing transfer unexplained again.',
      request: 'POST /outgoing/{requisiteId}/{id}/unbook',
      inputs: { ...outgoing, reason: required('--reason <text>', 'why') },
      print: describe,
    }),
  },
}
