import { listSorts } from '../domain/scan.ts'
import { paymentMethods } from '../domain/payment-method.ts'
import { choice, flag, type Input, option, page, resolvedBy } from './inputs.ts'
import { ofMerchant, ofRequisite } from './named-inputs.ts'
import { amountText, timeOrSpan } from './read-arguments.ts'

/** An option with a time, or how long ago it was. */
export const timeOrAgo = (flags: string, description: string): Input<string | undefined> =>
  resolvedBy(
    option(flags, `${description}: a time, or how long ago, such as 24h`, timeOrSpan),
    async (session, typed) =>
      typeof typed === 'number' ? new Date(Date.parse(await session.now()) - typed).toISOString() : typed,
  )

/** The options of a list that is exported, too. */
export const exportedPage = { csv: flag('--csv', 'write all pages to standard output as CSV'), ...page }

/** The options of a list that is sorted, counted and exported. */
export const sortedPage = (sorts: readonly string[], usual: string) => ({
  sort: choice('--sort <sort>', `which come first; -amount: the largest, needs --currency; default: ${usual}`, sorts),
  count: flag('--count', 'count the rows of all pages, too', 'true'),
  ...exportedPage,
})

/** Filters by time and amount. */
export const timeAndAmount = (made: string) => ({
  from: timeOrAgo('--from <time>', `only those ${made} since then`),
  to: timeOrAgo('--to <time>', `only those ${made} before`),
  currency: option('--currency <currency>', 'only this currency'),
  amountFrom: option('--amount-from <amount>', 'only this amount or more; needs --currency', amountText),
  amountTo: option('--amount-to <amount>', 'only this amount or less; needs --currency', amountText),
})

/** The options of a list with the filters that payments and transfers share. */
export const filters = (made: string) => ({
  ...timeAndAmount(made),
  merchantId: ofMerchant(),
  requisiteId: ofRequisite(''),
  method: choice('--method <method>', 'only this payment method', paymentMethods),
  bank: option('--bank <code>', "only this bank's requisites, such as sberbank"),
  view: option('--view <name>', 'the filters of a view of yours (payin views); others are added'),
  ...sortedPage(listSorts, 'newest'),
})
