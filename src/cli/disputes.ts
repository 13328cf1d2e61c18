import { InvalidArgumentError } from 'commander'
import type { PreviewAnswer } from '../http/operator-api/dispute-decisions.ts'
import type { ListedDispute, OperatorDispute } from '../http/operator-api/disputes.ts'
import { command, type Group, list, request } from './commands.ts'
import { argument, flag, merchant, option, page, required } from './inputs.ts'
import { printAmount, type Printed, printRows, printSections, printTime } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'

type TransferName = { readonly requisiteId: string; readonly id: string }

const transferNames = (typed: string, before: readonly TransferName[] = []): readonly TransferName[] => {
  const [requisiteId, id, ...rest] = typed.split('/')
  if (!requisiteId || !id || rest.length > 0) throw new InvalidArgumentError('Write requisite-id/transfer-id.')
  return [...before, { requisiteId, id }]
}

const describe = (dispute: OperatorDispute): string => {
  const { correction, currency } = dispute
  const waits = correction !== undefined && correction.confirmedBy === undefined && dispute.finalAmount === undefined
  const second = waits
    ? `\n${correction.by} proposes ${printAmount(correction.amount, currency)}: another operator has to confirm it.`
    : ''
  return `The dispute about ${dispute.orderId} is ${dispute.state}, the payment ${dispute.status}.${second}`
}

const describePreview = ({ status, needsSecondOperator, entries }: PreviewAnswer): Printed => {
  const second = needsSecondOperator ? ' No money covers that: another operator would have to confirm.' : ''
  const table = printRows(entries, {
    KIND: 'kind',
    DEBIT: 'debit',
    CREDIT: 'credit',
    'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
  })
  return printSections(`The payment would be ${status}.${second}`, entries.length === 0 ? 'No ledger entries.' : table)
}

const describeHistory = (dispute: OperatorDispute): Printed =>
  printSections(
    describe(dispute),
    printRows(dispute.history, { AT: ({ at }) => printTime(at), WHAT: 'kind', BY: 'by', NOTE: 'note' }),
    dispute.evidence.map((file) => `${file.contentType} ${file.id} of ${file.by}`).join('\n') || undefined,
  )

const dispute = { merchantId: merchant, id: argument('<dispute-id>', 'id of the dispute') }
const reasonToMerchant = required('--note <text>', 'why; the merchant reads it')

const reading = {
  list: list({
    description: 'List the disputes, the newest first.',
    request: 'GET /disputes',
    inputs: {
      state: flag('--undecided', 'only those that wait, the nearest deadline first', 'undecided'),
      ...page,
    },
    rows: (answer: { disputes: ListedDispute[] }) => answer.disputes,
    empty: ({ state }) => (state === undefined ? 'No disputes.' : 'No dispute waits for a decision.'),
    columns: {
      DUE: ({ dueAt }) => printTime(dueAt),
      STATE: 'state',
      PAYMENT: 'status',
      CLAIMANT: 'claimant',
      REASON: 'reason',
      'CLAIMED>': ({ amount, currency }) => printAmount(amount, currency),
      ORDER: 'orderId',
      MERCHANT: 'merchantId',
      ID: 'id',
    },
  }),
  show: request({
    description: 'Show a dispute with its history and files.',
    request: 'GET /disputes/{merchantId}/{id}',
    inputs: dispute,
    print: describeHistory,
  }),
  evidence: command({
    description: 'Save a file of a dispute; the audit records that you read it.',
    inputs: {
      ...dispute,
      fileId: argument('<file-id>', 'id of the file'),
      output: required('--output <path>', 'file to write'),
    },
    run: (session, given) => session.save('GET /disputes/{merchantId}/{id}/evidence/{fileId}', given),
  }),
}

const deciding = {
  open: request({
    description: 'Open a dispute about a closed payment, or propose the correction of a credited one.',
    request: 'POST /payments/{merchantId}/{id}/disputes',
    inputs: {
      merchantId: merchant,
      id: argument('<payment-id>', 'id of the payment'),
      amount: required('--amount <amount>', 'what is claimed, or is to be credited instead', exactNumber),
      note: required('--note <text>', 'why'),
    },
    print: (opened: OperatorDispute) => `${describe(opened)} Its id is ${opened.id}.`,
  }),
  accept: command({
    description: 'Credit a disputed payment; --preview only shows what it would do.',
    inputs: {
      ...dispute,
      amount: option(
        '--amount <amount>',
        'what is credited; default: all money that the payment then has',
        exactNumber,
      ),
      transfers: option(
        '--transfer <requisite-id/transfer-id>',
        'transfer in the inbox that is for it; again for more',
        transferNames,
      ),
      unassign: option(
        '--unassign <requisite-id/transfer-id>',
        'transfer of the payment that is not for it; again for more',
        transferNames,
      ),
      note: reasonToMerchant,
      preview: flag('--preview', 'show the ledger entries, decide nothing'),
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
  reject: request({
    description: 'Reject a claim that does not hold; the payment goes back to the status it came from.',
    request: 'POST /disputes/{merchantId}/{id}/decision',
    inputs: { ...dispute, note: reasonToMerchant },
    body: ({ note }) => ({ decision: 'reject', note }),
    print: describe,
  }),
  confirm: request({
    description: 'Confirm, as a second operator, what another one has proposed.',
    request: 'POST /disputes/{merchantId}/{id}/confirm',
    inputs: { ...dispute, amount: required('--amount <amount>', 'the amount that was proposed', exactNumber) },
    print: describe,
  }),
}

/** `payin disputes`. */
export const disputeCommands: Group = {
  description: 'Claims about payments, and corrections of credited ones.',
  examples: [
    'payin disputes list --undecided',
    'payin disputes accept "Demo Shop" <dispute-id> --transfer <requisite-id>/<transfer-id> --note "found it" --preview',
    'payin disputes confirm "Demo Shop" <dispute-id> --amount 5000 --token "$TOKEN_OF_THE_SECOND"',
  ],
  commands: {
    ...reading,
    ...deciding,
  },
}
