import { paymentMethods } from '../domain/payment-method.ts'
import type { Explanation } from '../http/operator-api/allocation.ts'
import { request } from './commands.ts'
import { option, required } from './inputs.ts'
import { merchant } from './named-inputs.ts'
import { printAccount, type Printed, printRows, printSections, printTable } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'

const describe = ({ chosenId, counts, verdicts }: Explanation): Printed => {
  // Those of another mode, method or currency are in the counts.
  const relevant = verdicts.filter(({ refused = '' }) => !refused.startsWith('other-'))
  const reasons = Object.entries(counts).toSorted((a, b) => b[1] - a[1])
  return printSections(
    chosenId === undefined
      ? 'No requisite is free for this payment.'
      : `This payment would get ${printAccount(verdicts.find(({ requisiteId }) => requisiteId === chosenId)?.requisite, chosenId)}.`,
    reasons.length > 0 ? printTable(['VERDICT', 'REQUISITES>'], reasons) : undefined,
    relevant.length > 0
      ? printRows(relevant, {
          'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
          VERDICT: ({ requisiteId, refused }) => (requisiteId === chosenId ? 'CHOSEN' : (refused ?? 'free')),
          OPEN: ({ hasOpenPayment }) => (hasOpenPayment ? 'yes' : 'no'),
          'ROOM>': ({ room }) => `${room}/10`,
          'ID#': 'requisiteId',
        })
      : undefined,
  )
}

/** `payin requisites explain`. */
export const explain = request({
  description: 'Show which requisite a payment would get now, and why not the others. Changes nothing.',
  request: 'POST /requisites/explain',
  inputs: {
    merchantId: merchant,
    method: required('--method <method>', paymentMethods.join(', ')),
    currency: required('--currency <currency>', 'code, such as rub'),
    amount: required('--amount <amount>', 'amount of the payment', exactNumber),
    bankIssuer: option('--bank <code>', 'bank issuer that the payer asks for'),
  },
  print: describe,
})
