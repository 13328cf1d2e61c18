import type { Command } from 'commander'
import type { TermsAnswer } from '../http/operator-api/terms.ts'
import type { TriedTermsAnswer } from '../http/operator-api/try-terms.ts'
import { addExamples } from './describe-command.ts'
import { findMerchantId } from './find-merchant-id.ts'
import { printAmount, printFee, printFields, printRows, printSpan } from './print-table.ts'
import { percent, quoteMicro, span, time, wholeNumber } from './read-arguments.ts'
import { inSession, path } from './session.ts'

type Options = {
  readonly timeToPay?: number
  readonly grace?: number
  readonly lateWindow?: number
  readonly confirmWithin?: number
  readonly coolDown?: number
  readonly tolerance?: number
  readonly mismatch?: string
  readonly underpaid?: string
  readonly overpaid?: string
  readonly partial?: string
  readonly late?: string
  readonly duplicate?: string
  readonly fee?: number
  readonly feeFixed?: number
  readonly feeMin?: number
  readonly feeMax?: number
}

const describe = ({ method, terms }: { readonly method: string; readonly terms: TermsAnswer }): string =>
  printFields({
    Method: method,
    'Time to pay': printSpan(terms.timeToPayMs),
    Grace: printSpan(terms.graceMs),
    'Late window': printSpan(terms.lateWindowMs),
    'Confirm within': printSpan(terms.confirmDeadlineMs),
    'Cool-down': printSpan(terms.coolDownMs),
    Tolerance: `${terms.toleranceMinor} minor units`,
    Underpaid: terms.underpaidPolicy ?? terms.mismatchPolicy,
    Overpaid: terms.overpaidPolicy ?? terms.mismatchPolicy,
    Partial: terms.partialPolicy ?? 'add-up',
    Late: terms.latePolicy ?? 'credit',
    Duplicate: terms.duplicatePolicy ?? 'overpayment',
    Fee: printFee(terms),
  })

const withTerms = (command: Command): Command =>
  command
    .option('--time-to-pay <span>', 'time to pay, such as 30m', span)
    .option('--grace <span>', 'how much later the bank may book the money', span)
    .option('--late-window <span>', 'how long after that the exact amount still counts', span)
    .option('--confirm-within <span>', 'how long to wait for the money after "I have paid"', span)
    .option('--cool-down <span>', 'how long the slot of a paid payment stays taken', span)
    .option('--tolerance <minor>', 'difference in minor units that still counts as exact', wholeNumber)
    .option('--mismatch <policy>', 'credit-received or review: what to do with another amount')
    .option('--underpaid <policy>', 'the same for too little only')
    .option('--overpaid <policy>', 'the same for too much only')
    .option('--partial <policy>', 'add-up or review: what to do with a part while there is time')
    .option('--late <policy>', 'credit or review: what to do with the exact amount inside the late window')
    .option('--duplicate <policy>', 'overpayment or review: what to do with money that repeats a credited amount')
    .option('--fee <percent>', 'fee in percent of the credited amount', percent)
    .option('--fee-fixed <amount>', 'USDT that every credit costs on top of the percentage', quoteMicro)
    .option('--fee-min <amount>', 'least fee of a credit in USDT', quoteMicro)
    .option('--fee-max <amount>', 'greatest fee of a credit in USDT; default: no bound', quoteMicro)

const bodyOf = (options: Options) => ({
  timeToPayMs: options.timeToPay,
  graceMs: options.grace,
  lateWindowMs: options.lateWindow,
  confirmDeadlineMs: options.confirmWithin,
  coolDownMs: options.coolDown,
  toleranceMinor: options.tolerance,
  mismatchPolicy: options.mismatch,
  underpaidPolicy: options.underpaid,
  overpaidPolicy: options.overpaid,
  partialPolicy: options.partial,
  latePolicy: options.late,
  duplicatePolicy: options.duplicate,
  feePpm: options.fee,
  feeFixedMicro: options.feeFixed,
  feeMinMicro: options.feeMin,
  feeMaxMicro: options.feeMax,
})

const describeTried = ({ transfers, payments, changedCount, changed }: TriedTermsAnswer): string => {
  const summary = `${transfers} transfers and ${payments} payments were replayed; ${changedCount} payments would differ.`
  if (changed.length === 0) return summary
  const table = printRows(changed, {
    ORDER: ({ orderId }) => orderId,
    NOW: ({ now }) => now.status,
    'CREDITED>': ({ now, currency }) => printAmount(now.creditedAmount, currency),
    TRIED: ({ tried }) => tried.status,
    'CREDITED THEN>': ({ tried, currency }) => printAmount(tried.creditedAmount, currency),
  })
  return `${summary}\n${table}`
}

/** Adds `payin terms`. */
export const addTermCommands = (program: Command): void => {
  const terms = program.command('terms').description('Windows, tolerance, policies and fee of a merchant, by method.')
  addExamples(terms, [
    'payin terms set "Demo Shop" sbp --time-to-pay 15m --late-window 6h --fee 1.25 --fee-fixed 0.1 --fee-max 20',
    'payin terms try "Demo Shop" sbp --since 2026-01-01T00:00:00Z --until 2026-01-31T00:00:00Z --tolerance 100',
  ])
  withTerms(
    terms
      .command('set <merchant> <method>')
      .description(
        'Set the terms of a method: card-to-card, sbp, account-to-account or by-phone. What is left out returns to its default; existing payments keep their terms. payin merchants show lists the terms in force.',
      ),
  ).action(
    inSession(async (session, named: string, method: string, options: Options) => {
      const address = path`/merchants/${await findMerchantId(session, named)}/terms/${method}`
      const answer = await session.send<{ method: string; terms: TermsAnswer }>('PUT', address, bodyOf(options))
      session.show(answer, describe)
    }),
  )
  withTerms(
    terms
      .command('try <merchant> <method>')
      .description('Show how past transfers would have ended under other terms; changes nothing.')
      .requiredOption('--since <time>', 'where the span of at most 31 days begins', time)
      .requiredOption('--until <time>', 'where it ends', time),
  ).action(
    inSession(async (session, named: string, method: string, options: Options & { since: string; until: string }) => {
      const address = path`/merchants/${await findMerchantId(session, named)}/terms/${method}/try`
      const { since, until } = options
      const body = { since, until, terms: bodyOf(options) }
      session.show(await session.send<TriedTermsAnswer>('POST', address, body), describeTried)
    }),
  )
}
