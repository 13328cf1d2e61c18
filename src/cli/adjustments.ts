import type { AdjustmentAnswer } from '../http/operator-api/adjustments.ts'
import { type Group, list, request } from './commands.ts'
import { choice, option, required, page } from './inputs.ts'
import { adjustmentKey, ofMerchant } from './named-inputs.ts'
import { printAmount } from './print-table.ts'
import { exactNumber, time } from './read-arguments.ts'

const describe = ({ reference, status, amount, currency, debitAccount, creditAccount, ...book }: AdjustmentAnswer) =>
  `${reference} is ${status}: ${printAmount(amount, currency)}, ${debitAccount} → ${creditAccount}, in the book of ${book.merchantName ?? 'the service'}.`

const reason = required('--reason <text>', 'why')

/** `payin adjustments`. */
export const adjustmentCommands: Group = {
  description: 'Postings by hand: one operator drafts, another posts.',
  examples: [
    'payin adjustments draft --reference SALE-7 --debit fx:rub --credit bank:019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10 --amount 300000 --currency rub --reason "Sold"',
    'payin adjustments post SALE-7 --token "$TOKEN_OF_THE_SECOND"',
  ],
  commands: {
    draft: request({
      description: 'Draft a posting between bank:{requisite}, fx:{currency}, fees, rounding and merchant:available.',
      request: 'POST /ledger/adjustments',
      inputs: {
        reference: required('--reference <text>', 'your own name for it; the same again is the same one'),
        reason,
        debitAccount: required('--debit <account>', 'account that is debited'),
        creditAccount: required('--credit <account>', 'account that is credited'),
        amount: required('--amount <amount>', 'exact amount', exactNumber),
        currency: required('--currency <currency>', 'code, such as rub or USDT'),
        merchantId: ofMerchant(" whose book it is for; default: the service's book"),
        bookedAt: option('--booked-at <time>', 'when the bank booked it; default: now', time),
      },
      print: describe,
    }),
    post: request({
      description: 'Post a draft, as another operator than its author.',
      request: 'POST /ledger/adjustments/{book}/{id}/post',
      inputs: adjustmentKey,
      print: describe,
    }),
    reject: request({
      description: 'Reject a draft; nothing is posted.',
      request: 'POST /ledger/adjustments/{book}/{id}/reject',
      inputs: adjustmentKey,
      print: describe,
    }),
    reverse: request({
      description: 'Draft the reversing entry of what was posted.',
      request: 'POST /ledger/adjustments/{book}/{id}/reverse',
      inputs: { ...adjustmentKey, reference: required('--reference <text>', 'your own name for it'), reason },
      print: describe,
    }),
    list: list({
      description: 'List adjustments, the newest first.',
      request: 'GET /ledger/adjustments',
      inputs: { status: choice('--status <status>', 'only these', ['draft', 'posted', 'rejected']), ...page },
      rows: (answer: { adjustments: AdjustmentAnswer[] }) => answer.adjustments,
      empty: 'No such adjustments. Draft one: payin adjustments draft --help',
      columns: {
        'REFERENCE~': 'reference',
        STATUS: 'status',
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        'DEBIT~': 'debitAccount',
        'CREDIT~': 'creditAccount',
        'BOOK~': ({ merchantName }) => merchantName ?? 'the service',
        'DRAFTED BY': 'draftedBy',
        'ID#': 'id',
      },
    }),
  },
}
