import type { Command } from 'commander'
import { addExamples } from './describe-command.ts'
import { findMerchantId } from './merchants.ts'
import { printAmount, printFee, printFields, printSpan, printTable } from './print-table.ts'
import { percent, quoteMicro, span, time, wholeNumber } from './read-arguments.ts'
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
  readonly underpaidPolicy?: string
  readonly overpaidPolicy?: string
  readonly partialPolicy?: string
  readonly latePolicy?: string
  readonly duplicatePolicy?: string
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

const tell = ({ method, terms }: { readonly method: string; readonly terms: Terms }): string =>
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
    .option('--mismatch <policy>', 'credit-received or review: what becomes of another amount')
    .option('--underpaid <policy>', 'the same for too little only')
    .option('--overpaid <policy>', 'the same for too much only')
    .option('--partial <policy>', 'add-up or review: what becomes of a part while there is time')
    .option('--late <policy>', 'credit or review: what becomes of the exact amount inside the late window')
    .option('--duplicate <policy>', 'overpayment or review: what becomes of money that repeats a credited amount')
    .option('--fee <percent>', 'fee in percent of the credited amount', percent)
    .option('--fee-fixed <amount>', 'USDT that every credit costs beside the percentage', quoteMicro)
    .option('--fee-min <amount>', 'least fee of a credit in USDT', quoteMicro)
    .option('--fee-max <amount>', 'greatest fee of a credit in USDT; no bound unless told', quoteMicro)

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

type Became = { readonly status: string; readonly creditedAmount: number }
type Tried = {
  readonly transfers: number
  readonly payments: number
  readonly changedCount: number
  readonly changed: readonly {
    readonly orderId: string
    readonly currency: string
    readonly now: Became
    readonly tried: Became
  }[]
}

const tellTried = ({ transfers, payments, changedCount, changed }: Tried): string => {
  const head = `${transfers} transfers and ${payments} payments were played; ${changedCount} payments would differ.`
  if (changed.length === 0) return head
  const rows = changed.map(({ orderId, currency, now, tried }) => [
    ...[orderId, now.status, printAmount(now.creditedAmount, currency)],
    ...[tried.status, printAmount(tried.creditedAmount, currency)],
  ])
  return `${head}\n${printTable(['ORDER', 'NOW', 'CREDITED>', 'TRIED', 'CREDITED>'], rows)}`
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
        'Set the terms of a method: card-to-card, sbp, account-to-account or by-phone. What is left out goes back to its default; payments that exist keep their terms. payin merchants show tells what is in force.',
      ),
  ).action(async (named: string, method: string, options: Options, command: Command) => {
    const session = openSession(command)
    const path = `/merchants/${await findMerchantId(session, named)}/terms/${encodeURIComponent(method)}`
    session.show(await session.send<{ method: string; terms: Terms }>('PUT', path, bodyOf(options)), tell)
  })
  withTerms(
    terms
      .command('try <merchant> <method>')
      .description('Show what other terms would have made of past transfers; changes nothing.')
      .requiredOption('--since <time>', 'where the span of at most 31 days begins', time)
      .requiredOption('--until <time>', 'where it ends', time),
  ).action(
    async (named: string, method: string, options: Options & { since: string; until: string }, command: Command) => {
      const session = openSession(command)
      const path = `/merchants/${await findMerchantId(session, named)}/terms/${encodeURIComponent(method)}/try`
      const { since, until } = options
      session.show(await session.send<Tried>('POST', path, { since, until, terms: bodyOf(options) }), tellTried)
    },
  )
}
