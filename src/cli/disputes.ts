import { Failure } from './failure.ts'
import type { ClaimAnswer } from '../http/operator-api/claims.ts'
import type { Timeline } from '../http/operator-api/payments.ts'
import { command, type Group, list, request } from './commands.ts'
import { option, page, required, choice, flag, type Input, resolvedBy, several } from './inputs.ts'
import {
  sortedPage,
  timeAndAmount,
  paymentAs,
  disputeKey,
  ofMerchant,
  paymentKey,
  resolveTransfers,
} from './named-inputs.ts'
import { printAmount, printTime, type Printed, printFields, printRows, printSections } from './print-table.ts'
import { disputeSorts, disputeStates } from '../rules/payments/dispute.ts'
import type { PreviewAnswer } from '../http/operator-api/dispute-decisions.ts'
import type { ListedDispute, OperatorDispute } from '../http/operator-api/disputes.ts'
import { decideDisputes } from './decide-disputes.ts'
import { exactNumber } from './read-arguments.ts'

/** The id of the file that part of an id names, or of the only file. A refusal lists the files. */
const pickFile = (
  files: readonly { readonly id: string; readonly contentType: string }[],
  typed: string | undefined,
  owner: string,
  by: string,
): string => {
  const found = files.filter(({ id }) => typed === undefined || id.startsWith(typed) || id.endsWith(typed))
  const [only, ...others] = found
  if (only && others.length === 0) return only.id
  if (files.length === 0) throw new Failure([`There is no file of ${owner}.`])
  const which = typed === undefined ? `Several files belong to ${owner}` : `"${typed}" is not one file of ${owner}`
  throw new Failure([
    `${which}; give ${by} with one of:`,
    ...files.map(({ id, contentType }) => `  ${id}  ${contentType}`),
  ])
}

export const claimCommands: Group = {
  description: "Payers' claims that they paid closed payments.",
  examples: ['payin claims list', 'payin claims receipt order-42 --output receipt.pdf'],
  commands: {
    list: list('GET /claims', {
      description: 'List the claims, newest first.',
      inputs: page,
      rows: (answer: { claims: ClaimAnswer[] }) => answer.claims,
      empty:
        'No claims. Payers make them on the page of a closed payment. About a credited or closed payment: payin disputes open <payment>',
      columns: {
        'ORDER~': 'orderId',
        STATUS: 'status',
        'CLAIMED>': ({ amount, currency }) => printAmount(amount, currency),
        'AMOUNT>': ({ paymentAmount, currency }) => printAmount(paymentAmount, currency),
        RECEIVED: ({ receivedAt }) => printTime(receivedAt),
        'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
        'FILES>': ({ receipts }) => receipts.length,
        'PAID AT': ({ paidAt }) => printTime(paidAt),
        'PAYMENT#': 'paymentId',
        RECEIPTS: ({ receipts }) => receipts.map(({ id }) => id).join('\n') || 'none',
      },
    }),
    receipt: command({
      description: 'Save a file that a payer sent; the audit records the read.',
      inputs: {
        ...paymentAs('paymentId'),
        receipt: option('--receipt <id>', 'beginning or end of the id of the file; default: the only one'),
        output: required('--output <path>', 'file to write'),
      },
      run: async (session, { receipt, ...given }) => {
        const { body } = await session.call<Timeline>('GET /payments/{merchantId}/{paymentId}', given)
        const id = pickFile(body.receipts, receipt, `payment ${body.orderId}`, '--receipt')
        await session.save('GET /payments/{merchantId}/{paymentId}/receipts/{id}', { ...given, id })
      },
    }),
  },
}

/** An option that names transfers and may be repeated. */
const transfersBy = (flags: string, description: string) =>
  resolvedBy(option(flags, description, several), async (session, typed) => resolveTransfers(session, typed ?? []))

const describe = (dispute: OperatorDispute): string => {
  const { correction, currency } = dispute
  const waits = correction !== undefined && correction.confirmedBy === undefined && dispute.finalAmount === undefined
  const moved = (what: string, keys: readonly { readonly id: string }[] = []): string =>
    keys.length === 0 ? '' : `, ${what} ${keys.map(({ id }) => id).join(' and ')}`
  const second = waits
    ? `\n${correction.by} proposes ${printAmount(correction.amount, currency)}${moved('with', correction.transfers)}${moved('without', correction.unassign)}: another operator must confirm it.`
    : ''
  return `The dispute about ${dispute.orderId} is ${dispute.state}, the payment ${dispute.status}.${second}`
}

const describePreview = ({ status, needsSecondOperator, entries }: PreviewAnswer): Printed => {
  const second = needsSecondOperator ? ' No money covers that: another operator would have to confirm it.' : ''
  const table = printRows(entries, {
    KIND: 'kind',
    'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
    'DEBIT~': ({ debitName, debit }) => debitName ?? debit,
    'CREDIT~': ({ creditName, credit }) => creditName ?? credit,
  })
  return printSections(`The payment would be ${status}.${second}`, entries.length === 0 ? 'No ledger entries.' : table)
}

const describeHistory = (dispute: OperatorDispute): Printed =>
  printSections(
    describe(dispute),
    printFields({
      Id: dispute.id,
      Merchant: dispute.merchantName ?? dispute.merchantId,
      Payment: `${dispute.orderId} of ${printAmount(dispute.paymentAmount, dispute.currency)}`,
      Claimed: `${printAmount(dispute.amount, dispute.currency)} by the ${dispute.claimant}`,
      Reason: dispute.reason,
      Note: dispute.note,
      Opened: printTime(dispute.openedAt),
      Due: dispute.decidedAt === undefined ? printTime(dispute.dueAt) : undefined,
      Decided: dispute.decidedAt && `${printTime(dispute.decidedAt)} by ${dispute.decidedBy ?? '–'}`,
      Credited: dispute.finalAmount === undefined ? undefined : printAmount(dispute.finalAmount, dispute.currency),
      'Why so': dispute.decisionNote,
      Receipts: dispute.receipts.map(({ id, contentType }) => `${id} (${contentType})`).join(', ') || undefined,
    }),
    printRows(dispute.history, { AT: ({ at }) => printTime(at), WHAT: 'kind', BY: 'by', 'NOTE~': 'note' }),
    dispute.evidence.map((file) => `${file.contentType} ${file.id} of ${file.by}`).join('\n') || undefined,
  )

const reasonToMerchant = required('--reason <text>', 'why; the merchant sees it')

/** `--state`, and a separate flag for the most frequent question. */
const ofState: Input<string | undefined> = {
  flag: '--state',
  declare: (added) => {
    const one = choice('--state <state>', 'only those in this state', disputeStates).declare(added)
    const waiting = flag('--undecided', 'only undecided ones, the nearest deadline first', 'undecided').declare(added)
    return async (session, before) => {
      const [wanted, undecided] = [await one(session, before), await waiting(session, before)]
      if (wanted !== undefined && undecided !== undefined) throw new Failure(['Give either --undecided or --state.'], 2)
      return undecided ?? wanted
    }
  },
}

const reading = {
  list: list('GET /disputes', {
    description: 'List the disputes, newest first.',
    inputs: {
      state: ofState,
      merchantId: ofMerchant(),
      ...timeAndAmount('opened'),
      ...sortedPage(disputeSorts, 'newest; with --undecided: due'),
    },
    rows: (answer: { disputes: ListedDispute[] }) => answer.disputes,
    empty: ({ state }) =>
      state === 'undecided'
        ? 'No such disputes wait for a decision. All: payin disputes list'
        : 'No such disputes. Open one about a closed or credited payment: payin disputes open <payment>',
    columns: {
      'ORDER~': 'orderId',
      STATE: 'state',
      'CLAIMED>': ({ amount, currency }) => printAmount(amount, currency),
      DUE: ({ dueAt }) => printTime(dueAt),
      'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
      CLAIMANT: 'claimant',
      REASON: 'reason',
      PAYMENT: 'status',
      'ID#': 'id',
    },
  }),
  show: request('GET /disputes/{merchantId}/{id}', {
    description: 'Show a dispute with its history and files.',
    inputs: disputeKey,
    print: describeHistory,
  }),
  evidence: command({
    description: 'Save a file of a dispute; the audit records the read.',
    inputs: {
      ...disputeKey,
      file: option('--file <id>', 'beginning or end of the id of the file; default: the only one'),
      output: required('--output <path>', 'file to write'),
    },
    run: async (session, { file, ...given }) => {
      const { body } = await session.call<OperatorDispute>('GET /disputes/{merchantId}/{id}', given)
      const fileId = pickFile(body.evidence, file, `the dispute about ${body.orderId}`, '--file')
      await session.save('GET /disputes/{merchantId}/{id}/evidence/{fileId}', { ...given, fileId })
    },
  }),
}

const deciding = {
  open: request('POST /payments/{merchantId}/{id}/disputes', {
    description: 'Open a dispute about a closed payment, or propose the correction of a credited one.',
    inputs: {
      ...paymentKey,
      amount: required('--amount <amount>', 'amount that is claimed, or to credit instead', exactNumber),
      note: required('--reason <text>', 'why'),
    },
    print: describe,
  }),
  accept: command({
    description: 'Credit a disputed payment; --preview only shows what it would do.',
    inputs: {
      ...disputeKey,
      amount: option(
        '--amount <amount>',
        'amount to credit; default: all money that the payment then has',
        exactNumber,
      ),
      transfers: transfersBy('--transfer <transfer>', 'transfer in the inbox that is for it; repeat for more'),
      unassign: transfersBy('--unassign <transfer>', 'transfer of the payment that is not for it; repeat for more'),
      note: reasonToMerchant,
      preview: flag('--preview', 'only show the ledger entries; decide nothing'),
    },
    run: async (session, { preview, ...given }) => {
      const values = { decision: 'accept', ...given }
      if (preview === undefined) {
        session.show(await session.call<OperatorDispute>('POST /disputes/{merchantId}/{id}/decision', values), describe)
      } else {
        const answer = await session.call<PreviewAnswer>('POST /disputes/{merchantId}/{id}/preview', values)
        session.show(answer, describePreview)
      }
    },
  }),
  reject: request('POST /disputes/{merchantId}/{id}/decision', {
    description: 'Reject a claim; the payment returns to its previous status.',
    inputs: { ...disputeKey, note: reasonToMerchant },
    body: ({ note }) => ({ decision: 'reject', note }),
    print: describe,
  }),
  ask: request('POST /disputes/{merchantId}/{id}/ask', {
    description: 'Ask for more about an undecided dispute; the merchant sees it in its history.',
    inputs: { ...disputeKey, text: required('--text <text>', 'what is missing') },
    print: describe,
  }),
  confirm: request('POST /disputes/{merchantId}/{id}/confirm', {
    description: 'As a second operator, confirm what another one has proposed.',
    inputs: {
      ...disputeKey,
      amount: required('--amount <amount>', 'the proposed amount', exactNumber),
      transfers: transfersBy('--transfer <transfer>', 'transfer that the proposal assigns; repeat for more'),
      unassign: transfersBy('--unassign <transfer>', 'transfer that the proposal unassigns; repeat for more'),
    },
    print: describe,
  }),
}

export const disputeCommands: Group = {
  description: 'Claims about payments, and corrections of credited ones.',
  examples: [
    'payin disputes list --undecided',
    'payin disputes list --undecided --currency rub --sort -amount --count',
    'payin disputes accept order-42 --transfer 019a9c3e-7d5e --reason "found it" --preview',
    'payin disputes decide --file decisions.csv --reason "checked with the bank" --preview',
    'payin disputes confirm order-42 --amount 5000',
  ],
  commands: {
    ...reading,
    ...deciding,
    decide: decideDisputes,
  },
}
