import type { LimitsAnswer, TermsAnswer, TriedTermsAnswer } from '../http/operator-api/terms.ts'
import { type Group, list, request } from './commands.ts'
import { argument, required, type Inputs, option, someOf } from './inputs.ts'
import { ofMerchant, merchant } from './named-inputs.ts'
import { printAmount, type Printed, printFee, printFields, printRows, printSections, printSpan } from './print-table.ts'
import { exactNumber, percent, quoteMicro, span, time, wholeNumber } from './read-arguments.ts'
import { paymentMethods } from '../rules/values/payment-method.ts'

export const limitCommands: Group = {
  description: "Bounds of a payment's amount, by currency.",
  examples: [
    'payin limits set rub --min 100 --max 300000',
    'payin limits set rub --min 10 --max 1000 --merchant "Demo Shop"',
  ],
  commands: {
    set: request('PUT /limits/{currency}', {
      description: 'Set the bounds for every merchant, or for one; this also makes the currency supported.',
      inputs: {
        currency: argument('<currency>', 'code, such as rub'),
        min: required('--min <amount>', 'smallest amount', exactNumber),
        max: required('--max <amount>', 'largest amount', exactNumber),
        merchantId: ofMerchant('; default: every merchant without its own limits'),
      },
      print: ({ min, max, currency, merchantName = 'every merchant without its own limits' }: LimitsAnswer) =>
        `From ${printAmount(min, currency)} to ${printAmount(max, currency)}, for ${merchantName}.`,
    }),
    list: list('GET /limits', {
      description: 'List the limits that are set.',
      rows: (answer: { limits: LimitsAnswer[] }) => answer.limits,
      empty: 'No limits yet, so no currency is supported. Set some: payin limits set rub --min 100 --max 300000',
      columns: {
        CURRENCY: 'currency',
        'SMALLEST>': ({ min, currency }) => printAmount(min, currency),
        'LARGEST>': ({ max, currency }) => printAmount(max, currency),
        'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId ?? 'all others',
      },
    }),
  },
}

const describe = ({ method, terms }: { readonly method: string; readonly terms: TermsAnswer }): Printed =>
  printFields({
    Method: method,
    'Time to pay': printSpan(terms.timeToPayMs),
    Grace: printSpan(terms.graceMs),
    'Late window': printSpan(terms.lateWindowMs),
    'Confirm within': printSpan(terms.confirmDeadlineMs),
    'Cool-down': printSpan(terms.coolDownMs),
    Tolerance: `${terms.toleranceMinor} minor units`,
    'Mismatch up to': `${terms.mismatchBoundPpm / 10_000} %`,
    'Credited up to': `${terms.creditCapPpm / 10_000} %`,
    Underpaid: terms.underpaidPolicy ?? terms.mismatchPolicy,
    Overpaid: terms.overpaidPolicy ?? terms.mismatchPolicy,
    Partial: terms.partialPolicy ?? 'add-up',
    Late: terms.latePolicy ?? 'credit',
    'Rate of late and further money': terms.ratePolicy ?? 'worse',
    'Paid again': terms.paidAgainPolicy ?? 'overpayment',
    'Equal amounts': terms.equalAmounts ?? 'share if staged',
    Fee: printFee(terms),
  })

const describeTried = ({ transfers, payments, changedCount, changed }: TriedTermsAnswer): Printed => {
  const summary = `${transfers} transfers and ${payments} payments were replayed; ${changedCount} payments would differ.`
  if (changed.length === 0) return summary
  const table = printRows(changed, {
    'ORDER~': 'orderId',
    NOW: ({ now }) => now.status,
    'CREDITED>': ({ now, currency }) => printAmount(now.creditedAmount, currency),
    TRIED: ({ tried }) => tried.status,
    'CREDITED THEN>': ({ tried, currency }) => printAmount(tried.creditedAmount, currency),
  })
  return printSections(summary, table)
}

const method = argument('<method>', paymentMethods.join(', '))

const termInputs = {
  timeToPayMs: option('--time-to-pay <span>', 'time to pay, such as 30m', span),
  graceMs: option('--grace <span>', 'how much later the bank may book the money', span),
  lateWindowMs: option('--late-window <span>', 'how long after that the exact amount still counts', span),
  confirmDeadlineMs: option('--confirm-within <span>', 'how long to wait for the money after "I have paid"', span),
  coolDownMs: option('--cool-down <span>', 'how long the slot of a paid payment stays closed to others', span),
  toleranceMinor: option('--tolerance <minor>', 'difference in minor units that still counts as exact', wholeNumber),
  mismatchPolicy: option('--mismatch <policy>', 'credit-received or review: what to do with another amount'),
  mismatchBoundPpm: option('--mismatch-bound <percent>', 'how far the money may be from the missing amount', percent),
  creditCapPpm: option('--credit-cap <percent>', 'the most that is credited without a person; default: 150', percent),
  underpaidPolicy: option('--underpaid <policy>', 'the same, only for too little money'),
  overpaidPolicy: option('--overpaid <policy>', 'the same, only for too much money'),
  partialPolicy: option(
    '--partial <policy>',
    'add-up or review: what to do with part of the money while there is time',
  ),
  latePolicy: option('--late <policy>', 'credit or review: what to do with the exact amount inside the late window'),
  ratePolicy: option('--rate <policy>', 'worse or locked: the rate of money that exceeds the amount or comes late'),
  paidAgainPolicy: option(
    '--paid-again <policy>',
    'overpayment or review: what to do with further money for a credited payment',
  ),
  equalAmounts: option(
    '--equal-amounts <policy>',
    'share or refuse: what to do if every requisite holds the amount; default: share for staged payments only',
  ),
  feePpm: option('--fee <percent>', 'fee in percent of the credited amount', percent),
  feeFixedMicro: option('--fee-fixed <amount>', 'USDT per credit, on top of the percentage', quoteMicro),
  feeMinMicro: option('--fee-min <amount>', 'smallest fee of a credit in USDT', quoteMicro),
  feeMaxMicro: option('--fee-max <amount>', 'largest fee of a credit in USDT; default: no limit', quoteMicro),
} satisfies Inputs

export const termCommands: Group = {
  description: 'Windows, tolerance, policies and fee of a merchant, by method.',
  examples: [
    'payin terms set "Demo Shop" sbp --time-to-pay 15m --late-window 6h --fee 1.25 --fee-fixed 0.1 --fee-max 20',
    'payin terms try "Demo Shop" sbp --since 2026-01-01T00:00:00Z --until 2026-01-31T00:00:00Z --tolerance 100',
  ],
  commands: {
    set: request('PUT /merchants/{merchantId}/terms/{method}', {
      description:
        'Set the terms of a method. Omitted terms return to their defaults; existing payments keep their terms. payin merchants show lists the terms in force.',
      inputs: { merchantId: merchant, method, ...termInputs },
      print: describe,
    }),
    try: request('POST /merchants/{merchantId}/terms/{method}/try', {
      description: 'Show how past transfers would have ended under other terms; changes nothing.',
      inputs: {
        merchantId: merchant,
        method,
        since: required('--since <time>', 'where the span of at most 31 days begins', time),
        until: required('--until <time>', 'where it ends', time),
        ...termInputs,
      },
      body: ({ since, until, ...given }) => ({ since, until, terms: someOf(given, termInputs) ?? {} }),
      print: describeTried,
    }),
  },
}
