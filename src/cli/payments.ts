import { fieldsOf } from '../operations/field.ts'
import { OutcomeTables, paymentSummary, type PaymentSummaryAnswer } from '../operations/payment-summary.ts'
import { printTables } from './show-rows.ts'
import { type Commands } from './commands.ts'
import { commandOf, nounCommands } from './noun-commands.ts'
import { type Input, option, resolvedBy, flag, onlyGiven, resolved } from './inputs.ts'
import { instantOf, orderKey } from './named-inputs.ts'
import { type Printed, printSections, printSpan, printTime } from './print-table.ts'
import { timeSpanOrDay } from './read-arguments.ts'
import { payments } from '../operations/payments.ts'
import { reveals } from '../operations/reveals.ts'
import { ownLink } from './links.ts'
import { merchantPaymentCommands } from './merchant-payments.ts'
import { resolveId } from './resolve-name.ts'

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

const describeSummary = ({ from, to, mode, total, medianMs, methods, banks }: PaymentSummaryAnswer): Printed => {
  const [all, ...parts] = printTables(fieldsOf(OutcomeTables), { total: [total], methods, banks })
  return printSections(
    `${mode === 'sandbox' ? 'Sandbox: payments' : 'Payments'} created from ${printTime(from)} to ${printTime(to)}`,
    all,
    medianMs === undefined ? undefined : `Half of them were paid within ${printSpan(medianMs - (medianMs % 1000))}.`,
    ...parts,
  )
}

const summary = commandOf(paymentSummary, 'summary', {
  inputs: {
    from: wholeHour('--from <time>', 'only those created since then, in whole hours (default: 24h)', '24h'),
    to: wholeHour('--to <time>', 'only those created before, in whole hours'),
  },
  print: describeSummary,
})

/** Commands that merchants have, too, or of their own. */
const own: Commands = {
  // Sent as typed: the service reports what is wrong with them.
  list: commandOf(payments.operations, 'list', {
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
  summary,
  reveal: commandOf(reveals, 'payment'),
  cancel: commandOf(payments.operations, 'cancel', {
    inputs: orderKey,
    asMerchant: (payin, { id }) => payin.payments.cancel(id as string),
  }),
  ...merchantPaymentCommands,
}

/** Payments, for operators and merchants. */
export const paymentCommands = nounCommands(payments, own)
