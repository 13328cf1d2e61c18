import { fieldsOf } from '../operations/field.ts'
import { OutcomeTables, paymentSummary, type PaymentSummaryAnswer } from '../operations/payment-summary.ts'
import { printTables } from './show-rows.ts'
import { type Commands } from './commands.ts'
import { commandOf, nounCommands } from './noun-commands.ts'
import { flag, onlyGiven, option, resolved } from './inputs.ts'
import { orderKey } from './named-inputs.ts'
import { type Printed, printSections, printTime } from './print-table.ts'
import { printSpan } from '../rules/time.ts'
import { payments } from '../operations/payments.ts'
import { reveals } from '../operations/reveals.ts'
import { ownLink } from './links.ts'
import { merchantPaymentCommands } from './merchant-payments.ts'
import { resolveId } from './resolve-name.ts'

const describeSummary = ({ from, to, mode, total, medianMs, methods, banks }: PaymentSummaryAnswer): Printed => {
  const [all, ...parts] = printTables(fieldsOf(OutcomeTables), { total: [total], methods, banks })
  const created = `created from ${printTime(from)} to ${printTime(to)}`
  return printSections(
    mode === 'sandbox' ? `Sandbox: payments ${created}` : `Payments ${created}`,
    all,
    medianMs === undefined ? undefined : `Half of them were paid within ${printSpan(medianMs - (medianMs % 1000))}.`,
    ...parts,
  )
}

const own: Commands = {
  // Sent as typed: the service reports what is wrong with them.
  list: commandOf(payments.operations.list, {
    inputs: {
      linkId: resolved(
        option('--link <link>', 'only those started from this payment link: its title or id'),
        (session, typed) =>
          session.side() === 'merchant' ? ownLink(session, typed) : resolveId(session, 'link', typed),
      ),
      acknowledged: flag(
        '--unacknowledged',
        'only those that are paid but not acknowledged by their merchant',
        'false',
      ),
    },
    asMerchant: (payin, query) => payin.payments.page(onlyGiven(query) as object),
    csvAsMerchant: (payin, given) => payin.payments.csv(given),
  }),
  summary: commandOf(paymentSummary.summary, { print: describeSummary }),
  reveal: commandOf(reveals.payment),
  cancel: commandOf(payments.operations.cancel, {
    inputs: orderKey,
    asMerchant: (payin, { id }) => payin.payments.cancel(id as string),
  }),
  ...merchantPaymentCommands,
}

export const paymentCommands = nounCommands(payments, own)
