import { account, finalUntil } from '../../../rules/money/ledger.ts'
import {
  assertAddsUp,
  isEmpty,
  type MerchantReport,
  readPeriod,
  sumLines,
} from '../../../rules/money/merchant-report.ts'
import { refuseField } from '../../../rules/refusal.ts'
import type { Merchant } from '../../../rules/merchants/merchant.ts'
import type { Context } from '../../context.ts'
import { getProfile } from '../../merchants/merchant-directory.ts'
import { openAccountStatement, spanOfIds } from '../export-journal.ts'
import { getBalances } from '../read.ts'
import { sumByKind, sumCredited } from '../store.ts'
import { selectReportMails } from './store.ts'

/** Whose report in which currency. */
type Wanted = {
  readonly merchant: Pick<Merchant, 'id' | 'name' | 'mode'>
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
      isTest: merchant.mode === 'sandbox',
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

/** The reports of a merchant's period in each currency in which it has or had a balance, that of its quote currency first. */
export const readReports = async (context: Context, id: string, period: string): Promise<MerchantReport[]> => {
  const { merchant } = await getProfile(context, id)
  const { mode, settings } = merchant
  const balances = await getBalances(context, { merchantId: id, mode })
  const held = balances.filter((each) => each.account === account.available(id)).map(({ currency }) => currency)
  const currencies = [...new Set([settings.quoteCurrency, ...held])]
  const reports = await Promise.all(currencies.map((currency) => readReport(context, { merchant, currency, period })))
  return reports.filter((report, at) => at === 0 || !isEmpty(report))
}

/** The last reports that a merchant was to be sent by e-mail, the newest first. */
export const listReportMails = (context: Context, merchantId: string) =>
  context.query(selectReportMails, { merchantId })
