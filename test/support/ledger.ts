import { query, text, uuid } from 'payin-database'
import { currencyDecimals, formatDecimal } from '../../src/rules/values/currency.ts'
import { getBalances, getEntries } from '../../src/engine/ledger/read.ts'
import type { TestService } from './service.ts'

/** The ledger of a payment as lines `debit → credit amount currency`; requisite, payment and merchant have names. */
export const ledgerOf = async (
  service: TestService,
  payment: { readonly merchantId: string; readonly id: string; readonly requisiteId: string },
): Promise<string[]> => {
  const named = (account: string): string =>
    account
      .replace(payment.requisiteId, 'requisite')
      .replace(payment.id, 'payment')
      .replace(payment.merchantId, 'merchant')
  const entries = await getEntries(service.context, payment.merchantId, payment.id)
  return entries
    .map((entry) => `${named(entry.debitAccount)} → ${named(entry.creditAccount)} ${entry.amount} ${entry.currency}`)
    .toSorted()
}

/** What a merchant's accounts owe or, below zero, hold, without those at zero: `available 53.513514 USDT`. */
export const owedIn = async ({ context }: TestService, merchantId: string): Promise<string[]> =>
  (await getBalances(context, { merchantId, mode: 'live' }))
    .filter(({ balance }) => balance !== 0n)
    .map(({ account, currency, balance }) => {
      const decimals = currencyDecimals(currency)
      const name = account.replace(`merchant:${merchantId}:`, '').replace(/:[0-9a-f-]{36}$/, '')
      return `${name} ${formatDecimal(-balance, decimals)} ${currency}`
    })
    .toSorted()

const listNews = query('test_list_news', {
  parameters: { merchantId: uuid, kind: text },
  row: { body: text },
  text: `select body from outbox where merchant_id = :merchantId and kind = :kind order by id`,
})

/** The data of a merchant's notifications of one kind, in order. */
export const newsOf = async ({ context }: TestService, merchantId: string, kind: string) =>
  (await context.query(listNews, { merchantId, kind })).map(
    ({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> },
  )
