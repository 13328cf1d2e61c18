import { adjustmentStatuses } from '../rules/money/adjustment.ts'
import type { AdjustmentAnswer } from '../http/operator-api/adjustments.ts'
import { type Group, list, request } from './commands.ts'
import { choice, option, page, required, resolved } from './inputs.ts'
import { adjustmentKey, ofMerchant, ofMode } from './named-inputs.ts'
import { printAmount } from './print-table.ts'
import { exactNumber, time } from './read-arguments.ts'
import { resolveId } from './resolve-name.ts'
import type { Session } from './session.ts'

const debitOf = ({ debitName, debitAccount }: AdjustmentAnswer): string => debitName ?? debitAccount
const creditOf = ({ creditName, creditAccount }: AdjustmentAnswer): string => creditName ?? creditAccount

const describe = (adjustment: AdjustmentAnswer): string => {
  const { reference, status, amount, currency, merchantName } = adjustment
  const accounts = `${debitOf(adjustment)} → ${creditOf(adjustment)}`
  return `${reference} is ${status}: ${printAmount(amount, currency)}, ${accounts}, in the book of ${merchantName ?? 'the service'}.`
}

/** The ledger account that was typed. A requisite's account may name it by its label: `bank:Main account`. */
const accountOf = async (session: Session, typed: string): Promise<string> =>
  typed.startsWith('bank:') ? `bank:${await resolveId(session, 'requisite', typed.slice('bank:'.length))}` : typed

const reason = required('--reason <text>', 'why')

export const adjustmentCommands: Group = {
  description: 'Postings by hand: one operator drafts, another posts.',
  examples: [
    'payin adjustments draft --reference SALE-7 --debit fx:rub --credit "bank:Main account" --amount 300000 --currency rub --reason "Sold"',
    'payin adjustments post SALE-7',
  ],
  commands: {
    draft: request('POST /ledger/adjustments', {
      description:
        'Draft a posting between bank:{requisite}, fx:{currency}, fees, rounding, written-off, merchant:available, reversed:{payment} and overpayment:{payment}.',
      inputs: {
        reference: required(
          '--reference <text>',
          'your own name for it; the same name always means the same adjustment',
        ),
        reason,
        debitAccount: resolved(required('--debit <account>', 'account that is debited'), accountOf),
        creditAccount: resolved(required('--credit <account>', 'account that is credited'), accountOf),
        amount: required('--amount <amount>', 'exact amount', exactNumber),
        currency: required('--currency <currency>', 'code, such as rub or USDT'),
        merchantId: ofMerchant(" whose book it is in; default: the service's book"),
        bookedAt: option('--booked-at <time>', 'when the bank booked it; default: now', time),
      },
      print: describe,
    }),
    post: request('POST /ledger/adjustments/{book}/{id}/post', {
      description: 'Post a draft, as another operator than its author.',
      inputs: adjustmentKey,
      print: describe,
    }),
    reject: request('POST /ledger/adjustments/{book}/{id}/reject', {
      description: 'Reject a draft; nothing is posted.',
      inputs: adjustmentKey,
      print: describe,
    }),
    reverse: request('POST /ledger/adjustments/{book}/{id}/reverse', {
      description: 'Draft the reversing entry of a posted adjustment.',
      inputs: { ...adjustmentKey, reference: required('--reference <text>', 'your own name for it'), reason },
      print: describe,
    }),
    list: list('GET /ledger/adjustments', {
      description: 'List adjustments, newest first.',
      inputs: {
        status: choice('--status <status>', 'only these', adjustmentStatuses),
        mode: ofMode,
        ...page,
      },
      rows: (answer: { adjustments: AdjustmentAnswer[] }) => answer.adjustments,
      empty: 'No such adjustments. Draft one: payin adjustments draft --help',
      columns: {
        'REFERENCE~': 'reference',
        STATUS: 'status',
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        'DEBIT~': debitOf,
        'CREDIT~': creditOf,
        'BOOK~': ({ merchantName }) => merchantName ?? 'the service',
        'DRAFTED BY': 'draftedBy',
        'ID#': 'id',
      },
    }),
  },
}
