import type { PaymentSummaryAnswer } from '../http/operator-api/overview.ts'
import { request } from './commands.ts'
import { choice, type Input, option, resolvedBy } from './inputs.ts'
import { ofMerchant } from './named-inputs.ts'
import { type Columns, type Printed, printRows, printSections, printSpan, printTime } from './print-table.ts'
import { timeOrSpan } from './read-arguments.ts'

type Totals = PaymentSummaryAnswer['total']

const hourMs = 60 * 60 * 1000

/** A time or a span, as the whole hour before it. */
const wholeHour = (flags: string, description: string, usual?: string): Input<string | undefined> =>
  resolvedBy(
    option(flags, `${description}: a time, or how long ago, such as 7d`, timeOrSpan),
    async (session, typed = usual === undefined ? undefined : timeOrSpan(usual)) => {
      if (typed === undefined) return undefined
      const at = typeof typed === 'number' ? Date.parse(await session.now()) - typed : Date.parse(typed)
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

const describe = ({ from, to, mode, total, medianMs, methods, banks }: PaymentSummaryAnswer): Printed =>
  printSections(
    `${mode === 'sandbox' ? 'Sandbox: payments' : 'Payments'} created from ${printTime(from)} to ${printTime(to)}`,
    printRows([total], columns),
    medianMs === undefined ? undefined : `Half of them were paid within ${printSpan(medianMs - (medianMs % 1000))}.`,
    methods.length === 0 ? undefined : printRows(methods, { METHOD: 'method', ...columns }),
    banks.length === 0 ? undefined : printRows(banks, { BANK: 'bank', ...columns }),
  )

/** `payin payments summary`. */
export const paymentSummary = request({
  description: 'Show what became of the payments of a period, by method and bank of the requisite.',
  request: 'GET /overview/payments',
  inputs: {
    from: wholeHour('--from <time>', 'those created since then, to the hour (default: 24h)', '24h'),
    to: wholeHour('--to <time>', 'those created before, to the hour'),
    merchantId: ofMerchant(),
    mode: choice('--mode <mode>', 'of all merchants, those of this mode; default: live, if there are any', [
      'live',
      'sandbox',
    ]),
  },
  print: describe,
})
