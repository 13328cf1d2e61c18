import { account, finalUntil } from '../../rules/money/ledger.ts'
import { assertAddsUp, type MerchantReport, readPeriod, sumLines } from '../../rules/money/merchant-report.ts'
import { refuseField } from '../../rules/refusal.ts'
import type { Context } from '../context.ts'
import { openAccountStatement, spanOfIds } from './export-journal.ts'
import { sumByKind, sumCredited } from './store.ts'

/** Whose report in which currency. */
type Wanted = {
  readonly merchant: { readonly id: string; readonly name: string }
  readonly currency: string
  readonly period: string
}

/**
 * A merchant's balance in a currency over a day or a month, and what has changed it. It is final once the period has
 * ended. Refuses `validation_failed` for a period that has not begun.
 */
export const readReport = async (context: Context, { merchant, currency, period }: Wanted): Promise<MerchantReport> => {
  const { from, to } = readPeriod(period)
  const final = finalUntil(context.clock())
  if (from >= final) throw refuseField('period', 'has not begun.')
  const until = Math.min(to, final)
  const { id: merchantId } = merchant
  const span = { merchantId, currency, from, to: until, ...spanOfIds(from, until) }
  const accounts = { account: account.available(merchantId), paidOut: account.paidOut(merchantId) }
  const [{ opening, closing }, sums, payments] = await Promise.all([
    openAccountStatement(context, { merchantId, currency }, { from, to: until }),
    context.query(sumByKind, { ...span, ...accounts }),
    context.query(sumCredited, span),
  ])
  const report = {
    ...{
      merchantName: merchant.name,
      currency,
      period,
      from,
      until,
      isEnded: until === to,
      opening,
      closing,
      payments,
    },
    lines: sumLines(sums),
    paidOut: sums.reduce((sum, each) => sum + each.paidOut, 0n),
  }
  assertAddsUp(report)
  return report
}
