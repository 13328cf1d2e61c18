import { nameOf } from '../operations/named.ts'
import { operatorPurposes, outgoingPurposes, outgoingStates } from '../rules/transfers/outgoing.ts'
import type { DuplicatesAnswer, OutgoingAnswer } from '../http/operator-api/outgoing.ts'
import { type Group, list, request } from './commands.ts'
import { Failure } from './failure.ts'
import { resolveName } from './resolve-name.ts'
import { argument, choice, option, page, required, resolvedBy, several } from './inputs.ts'
import { idOption, ofRequisite, outgoingKey } from './named-inputs.ts'
import {
  printAccount,
  printAmount,
  type Printed,
  printFields,
  printSections,
  printTime,
  printSome,
} from './print-table.ts'

const describe = (outgoing: OutgoingAnswer): Printed =>
  printSections(describeFields(outgoing), describeProposals(outgoing))

const describeProposals = ({ proposals }: OutgoingAnswer): Printed | undefined =>
  printSome(proposals, {
    'PROPOSED~': 'purpose',
    'ORDER~': 'orderId',
    'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
    'BECAUSE~': ({ reasons }) => reasons.join(', '),
    'TRANSFER%': 'transferId',
    DOCUMENT: 'documentId',
    'PAYMENT#': 'paymentId',
  })

const proposer = ({ proposedBy = '' }: Pick<OutgoingAnswer, 'proposedBy'>): string =>
  proposedBy.replace(/^operator:/, '')

const describeFields = (outgoing: OutgoingAnswer): Printed =>
  printFields({
    Outgoing: outgoing.id,
    Requisite: printAccount(outgoing.requisite, outgoing.requisiteId),
    State: outgoing.state,
    Amount: `${printAmount(outgoing.amount, outgoing.currency)}${outgoing.givenBack ? ', given back' : ''}`,
    Booked: printTime(outgoing.bookedAt),
    'Same money as': outgoing.state === 'duplicate' ? outgoing.duplicateOf : undefined,
    'May be the same money as': outgoing.state === 'duplicate' ? undefined : outgoing.duplicateOf,
    'Bank reference': outgoing.bankReference,
    Payee: [outgoing.payee, outgoing.payeeName].filter(Boolean).join(' ') || undefined,
    Text: outgoing.text,
    Purpose: outgoing.proposedBy
      ? `${outgoing.purpose ?? 'same money'}, proposed by ${proposer(outgoing)}: another operator must say the same`
      : outgoing.purpose,
    Payment: outgoing.orderId ?? outgoing.paymentId,
    Merchant: outgoing.merchantName ?? outgoing.merchantId,
    Document: outgoing.documentId,
    Reason: outgoing.reason,
    Decided: outgoing.decidedBy && `${printTime(outgoing.decidedAt)} by ${outgoing.decidedBy}`,
    Source: outgoing.source,
  })

/** A command that says whether outgoing transfers are the same money as others. */
const duplicates = (decision: 'same-money' | 'other-money', description: string) =>
  list('POST /outgoing/decide', {
    description,
    inputs: {
      statementId: idOption('--statement <statement>', 'statement, for all of its possible duplicates', 'statement'),
      outgoing: resolvedBy(
        option('--outgoing <outgoing>', 'id of an outgoing transfer; repeat for more', several),
        async (session, typed) =>
          typed &&
          Promise.all(
            typed.map(async (each) => {
              const { requisiteId, id } = await resolveName(session, 'outgoing', each)
              return { requisiteId, id }
            }),
          ),
      ),
      reason: required('--reason <text>', 'why'),
    },
    body: ({ statementId, outgoing, reason }) => {
      if ((statementId === undefined) === (outgoing === undefined))
        throw new Failure(['Give either --statement or --outgoing.'], 2)
      return { decision, statementId, outgoing, reason }
    },
    rows: (answer: DuplicatesAnswer) => answer.outgoing,
    empty: 'No possible duplicates wait.',
    columns: {
      'OUTGOING%': nameOf,
      BOOKED: ({ bookedAt }) => printTime(bookedAt),
      'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
      STATE: 'state',
      'SAME MONEY AS%': 'duplicateOf',
    },
  })

export const outgoingCommands: Group = {
  description: 'Money that left the accounts of requisites.',
  examples: [
    'payin outgoing list --state unexplained',
    'payin outgoing show 019a9c3e-7d5e',
    'payin outgoing book 019a9c3e-7d5e fee --reason "monthly fee"',
    'payin outgoing confirm 019a9c3e-7d5e --payment order-42',
    'payin outgoing same-money --statement evening.csv --reason "the day again, with other texts"',
  ],
  commands: {
    list: list('GET /outgoing', {
      description: 'List outgoing transfers, newest first.',
      inputs: {
        state: choice('--state <state>', 'only those in this state', outgoingStates),
        purpose: choice('--purpose <purpose>', 'only those for this purpose', outgoingPurposes),
        requisiteId: ofRequisite(': only from this one'),
        ...page,
      },
      rows: (answer: { outgoing: OutgoingAnswer[] }) => answer.outgoing,
      empty: 'No such outgoing transfers. Statements and feeds report them: payin statements import <file>',
      columns: {
        'OUTGOING%': nameOf,
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        'STATE~': ({ state, purpose, givenBack, duplicateOf }) =>
          [
            state === 'booked' ? (purpose ?? state) : state,
            ...(givenBack ? ['given back'] : []),
            ...(state === 'unexplained' && duplicateOf !== undefined ? ['possible duplicate'] : []),
          ].join(', '),
        BOOKED: ({ bookedAt }) => printTime(bookedAt),
        'PROPOSED~': ({ proposals: [first], ...outgoing }) =>
          outgoing.proposedBy
            ? `${outgoing.purpose ?? 'same money'} by ${proposer(outgoing)}`
            : first && `${first.purpose} ${first.orderId ?? ''}`.trim(),
        'PAYEE~': ({ payee, payeeName }) => payeeName ?? payee,
        'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
        'TEXT~': 'text',
        'REFERENCE~': 'bankReference',
        'ID%': 'id',
      },
    }),
    show: request('GET /outgoing/{requisiteId}/{id}', {
      description: 'Show an outgoing transfer.',
      inputs: outgoingKey,
      print: describe,
    }),
    book: request('POST /outgoing/{requisiteId}/{id}/book', {
      description: 'Book an outgoing transfer to what it was for.',
      inputs: {
        ...outgoingKey,
        purpose: argument('<purpose>', operatorPurposes.join(', ')),
        reason: required('--reason <text>', 'why'),
        settlement: option('--settlement <settlement>', 'reference or id of the settlement that it paid'),
        transferId: idOption(
          '--transfer <transfer>',
          'for own-account: as which it came in; default: the only one that fits',
          'transfer',
        ),
      },
      body: async ({ purpose, reason, settlement, transferId }, session) => {
        const named = settlement === undefined ? undefined : await resolveName(session, 'settlement', settlement)
        return { purpose, reason, merchantId: named?.merchantId, settlementId: named?.id, transferId }
      },
      print: describe,
    }),
    confirm: request('POST /outgoing/{requisiteId}/{id}/confirm', {
      description: 'Confirm that outgoing money was returned to a payer. Default: what the only proposal says.',
      inputs: {
        ...outgoingKey,
        payment: option('--payment <payment>', 'it refunded what the payer of this payment (order or id) is owed'),
        transferId: idOption('--transfer <transfer>', 'it took back this transfer', 'transfer'),
        documentId: option('--document <id>', 'it is this refund or reversal, which was recorded before'),
        reason: option('--reason <text>', 'why'),
      },
      body: async ({ payment, transferId, documentId, reason }, session) => {
        const named = payment === undefined ? undefined : await resolveName(session, 'payment', payment)
        return { merchantId: named?.merchantId, paymentId: named?.id, transferId, documentId, reason }
      },
      print: describe,
    }),
    'same-money': duplicates(
      'same-money',
      'Say that possible duplicates are the same money: all of a statement, or those named; they leave the ledger.',
    ),
    'other-money': duplicates(
      'other-money',
      'Say that possible duplicates, or those said to be the same money, are other money.',
    ),
    unbook: request('POST /outgoing/{requisiteId}/{id}/unbook', {
      description: 'Make a booked outgoing transfer unexplained again.',
      inputs: { ...outgoingKey, reason: required('--reason <text>', 'why') },
      print: describe,
    }),
  },
}
