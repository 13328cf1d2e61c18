import type { Command } from 'commander'
import { addExamples } from './describe-command.ts'
import { findMerchantId } from './merchants.ts'
import { printFee, printFields, printSpan } from './print-table.ts'
import { percent, quoteMicro, span, wholeNumber } from './read-arguments.ts'
import { openSession } from './session.ts'

/** Terms of a merchant's payments by one method, as the service answers them. */
export type Terms = {
  readonly timeToPayMs: number
  readonly graceMs: number
  readonly lateWindowMs: number
  readonly confirmDeadlineMs: number
  readonly coolDownMs: number
  readonly toleranceMinor: number
  readonly mismatchPolicy: string
  readonly feePpm: number
  readonly feeFixedMicro: number
  readonly feeMinMicro: number
  readonly feeMaxMicro: number
}

type Options = {
  readonly timeToPay?: number
  readonly grace?: number
  readonly lateWindow?: number
  readonly confirmWithin?: number
  readonly coolDown?: number
  readonly tolerance?: number
  readonly mismatch?: string
  readonly fee?: number
  readonly feeFixed?: number
  readonly feeMin?: number
  readonly feeMax?: number
}

const tell = ({ method, terms }: { readonly method: string; readonly terms: Terms }): string =>
  printFields({
    Method: method,
    'Time to pay': printSpan(terms.timeToPayMs),
    Grace: printSpan(terms.graceMs),
    'Late window': printSpan(terms.lateWindowMs),
    'Confirm within': printSpan(terms.confirmDeadlineMs),
    'Cool-down': printSpan(terms.coolDownMs),
    Tolerance: `${terms.toleranceMinor} minor units`,
    Mismatch: terms.mismatchPolicy,
    Fee: printFee(terms),
  })

/** Adds `payin terms`. */
export const addTermCommands = (program: Command): void => {
  const terms = program.command('terms').description('Windows, tolerance, policy and fee of a merchant, by method.')
  addExamples(terms, [
    'payin terms set "Demo Shop" sbp --time-to-pay 15m --late-window 6h --fee 1.25 --fee-fixed 0.1 --fee-max 20',
  ])
  terms
    .command('set <merchant> <method>')
    .description(
      'Set the terms of a method: card-to-card, sbp, account-to-account or by-phone. What is left out goes back to its default; payments that exist keep their terms. payin merchants show tells what is in force.',
    )
    .option('--time-to-pay <span>', 'time to pay, such as 30m', span)
    .option('--grace <span>', 'how much later the bank may book the money', span)
    .option('--late-window <span>', 'how long after that the exact amount still counts', span)
    .option('--confirm-within <span>', 'how long to wait for the money after "I have paid"', span)
    .option('--cool-down <span>', 'how long the slot of a paid payment stays taken', span)
    .option('--tolerance <minor>', 'difference in minor units that still counts as exact', wholeNumber)
    .option('--mismatch <policy>', 'credit-received or review: what becomes of another amount')
    .option('--fee <percent>', 'fee in percent of the credited amount', percent)
    .option('--fee-fixed <amount>', 'USDT that every credit costs beside the percentage', quoteMicro)
    .option('--fee-min <amount>', 'least fee of a credit in USDT', quoteMicro)
    .option('--fee-max <amount>', 'greatest fee of a credit in USDT; no bound unless told', quoteMicro)
    .action(async (named: string, method: string, options: Options, command: Command) => {
      const session = openSession(command)
      const id = await findMerchantId(session, named)
      const answer = await session.send<{ method: string; terms: Terms }>(
        'PUT',
        `/merchants/${id}/terms/${encodeURIComponent(method)}`,
        {
          timeToPayMs: options.timeToPay,
          graceMs: options.grace,
          lateWindowMs: options.lateWindow,
          confirmDeadlineMs: options.confirmWithin,
          coolDownMs: options.coolDown,
          toleranceMinor: options.tolerance,
          mismatchPolicy: options.mismatch,
          feePpm: options.fee,
          feeFixedMicro: options.feeFixed,
          feeMinMicro: options.feeMin,
          feeMaxMicro: options.feeMax,
        },
      )
      session.show(answer, tell)
    })
}
