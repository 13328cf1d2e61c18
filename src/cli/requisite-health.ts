import type { Forecast } from '../http/operator-api/allocation.ts'
import type { HealthAnswer, PauseAnswer } from '../http/operator-api/requisite-health.ts'
import { list, request } from './commands.ts'
import { flag, option, required, page } from './inputs.ts'
import { exportedPage } from './list-inputs.ts'
import { merchant } from './named-inputs.ts'
import { type Columns, printAccount, printAmount, printPairs, printRows, printTime } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'

const printRate = ({ paid, payments, successRate }: HealthAnswer['lastDay']): string =>
  `${paid}/${payments}${successRate === undefined ? '' : ` (${(successRate * 100).toFixed(0)} %)`}`

const printTurnover = (used: number, limit: number | null): string => `${used}${limit === null ? '' : ` of ${limit}`}`

const forecastColumns = (currency: string): Columns<Forecast> => ({
  METHOD: 'method',
  BANK: 'bankIssuer',
  'AMOUNT>': ({ amount }) => printAmount(amount, currency),
  'FREE>': ({ free, requisites }) => `${free} of ${requisites}`,
  'REFUSED~': ({ refused }) => printPairs(refused),
  'NEXT FREE': ({ nextFreeAt }) => printTime(nextFreeAt),
})

const severalAmounts = (typed: string, before: readonly object[] = []): readonly object[] => [
  ...before,
  exactNumber(typed),
]

/** `payin requisites health`, `pauses` and `forecast`. */
export const requisiteHealthCommands = {
  health: list({
    description: 'Show the health of requisites: turnover against limits, paid payments, runs of failures.',
    request: 'GET /requisites/health',
    csv: 'GET /requisites/health.csv',
    inputs: {
      mode: option('--mode <mode>', 'only live or sandbox ones'),
      method: option('--method <method>', 'only this method'),
      currency: option('--currency <currency>', 'only this currency'),
      status: option('--status <status>', 'active or paused'),
      ...exportedPage,
    },
    rows: (answer: { requisites: HealthAnswer[] }) => answer.requisites,
    empty: 'No such requisites. Add some: payin requisites add --help',
    notes: () => 'RUN: payments that expired, and transfers that nobody knew, one after another.',
    columns: {
      'REQUISITE~': (row) => printAccount(row),
      'STATUS~': ({ status, pause }) => (pause === undefined ? status : `paused: ${pause.cause}`),
      'PAID 24 H>': ({ lastDay }) => printRate(lastDay),
      'RUN>': ({ expiredRun, unmatchedRun }) => `${expiredRun} / ${unmatchedRun}`,
      'DAY>': ({ turnover, limits }) => printTurnover(turnover.dayAmount, limits.dayAmount),
      'MONTH>': ({ turnover, limits }) => printTurnover(turnover.monthAmount, limits.monthAmount),
      'OPEN>': ({ turnover }) => turnover.open,
      'PAID 7 D>': ({ lastWeek }) => printRate(lastWeek),
      'LAST MONEY': ({ lastMoneyAt }) => printTime(lastMoneyAt),
      'ID#': 'id',
    },
  }),
  pauses: list({
    description: 'List automatic pauses, the newest first; payin requisites resume ends one.',
    request: 'GET /requisites/pauses',
    inputs: { open: flag('--open', 'only those that last', 'true'), ...page },
    rows: (answer: { pauses: PauseAnswer[] }) => answer.pauses,
    empty:
      'No automatic pauses. When there are some is set by: payin requisites limit <requisite> --pause-after <count>',
    columns: {
      'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
      CAUSE: 'cause',
      AT: ({ pausedAt }) => printTime(pausedAt),
      'STATE~': ({ endedAt }) => (endedAt === undefined ? 'lasts' : `ended ${printTime(endedAt)}`),
      'RUN>': 'run',
      'ID#': 'requisiteId',
    },
  }),
  forecast: request({
    description: 'Show how many requisites could take amounts now, by method and bank. Changes nothing.',
    request: 'POST /requisites/forecast',
    inputs: {
      merchantId: merchant,
      currency: required('--currency <currency>', 'code, such as rub'),
      amounts: required('--amount <amount>', 'amount of a payment; again for more', severalAmounts),
      method: option('--method <method>', 'only this method'),
    },
    print: ({ forecast }: { forecast: Forecast[] }, { currency }) =>
      forecast.length === 0 ? 'No requisites serve this merchant.' : printRows(forecast, forecastColumns(currency)),
  }),
}
