import type { Command } from 'commander'
import { addPageOptions } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './find-merchant-id.ts'
import { printAmount, printNext, printTable, printTime } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'
import { openSession } from './session.ts'

type Counts = { readonly payments: number; readonly paid: number; readonly successRate?: number }

type Health = {
  readonly id: string
  readonly method: string
  readonly currency: string
  readonly bankIssuer: string
  readonly number: string
  readonly status: string
  readonly limits: { readonly dayAmount: number | null; readonly monthAmount: number | null }
  readonly turnover: { readonly open: number; readonly dayAmount: number; readonly monthAmount: number }
  readonly lastDay: Counts
  readonly lastWeek: Counts
  readonly lastMoneyAt?: string
  readonly expiredRun: number
  readonly unmatchedRun: number
  readonly pause?: { readonly cause: string }
}

type Pause = {
  readonly requisiteId: string
  readonly cause: string
  readonly run: number
  readonly pausedAt: string
  readonly endedAt?: string
}

type Forecast = {
  readonly method: string
  readonly bankIssuer: string
  readonly amount: number
  readonly requisites: number
  readonly free: number
  readonly refused: Readonly<Record<string, number>>
  readonly nextFreeAt?: string
}

const rateOf = ({ paid, payments, successRate }: Counts): string =>
  `${paid}/${payments}${successRate === undefined ? '' : ` (${(successRate * 100).toFixed(0)} %)`}`

const turnoverOf = (used: number, limit: number | null): string => `${used}${limit === null ? '' : ` of ${limit}`}`

const addForecast = (requisites: Command): void => {
  const gather = (typed: string, before: object[]): object[] => [...before, exactNumber(typed)]
  requisites
    .command('forecast')
    .description('Tell how many requisites could take amounts now, by method and bank. Changes nothing.')
    .argument('<merchant>', merchantArgument)
    .requiredOption('--currency <currency>', 'code, such as rub')
    .option('--amount <amount>', 'amount of a payment; may be given several times', gather, [])
    .option('--method <method>', 'only this method')
    .action(
      async (named: string, options: { currency: string; amount: object[]; method?: string }, command: Command) => {
        const session = openSession(command)
        const merchantId = await findMerchantId(session, named)
        const { currency, amount: amounts, method } = options
        const body = { merchantId, currency, amounts, method }
        const answer = await session.send<{ forecast: Forecast[] }>('POST', '/requisites/forecast', body)
        session.show(answer, ({ forecast }) => {
          if (forecast.length === 0) return 'No requisites serve this merchant.'
          const rows = forecast.map((each) => [
            ...[each.method, each.bankIssuer, printAmount(each.amount, currency), `${each.free} of ${each.requisites}`],
            Object.entries(each.refused)
              .map(([why, count]) => `${why} ${count}`)
              .join(', '),
            printTime(each.nextFreeAt),
          ])
          return printTable(['METHOD', 'BANK', 'AMOUNT>', 'FREE>', 'REFUSED', 'NEXT FREE'], rows)
        })
      },
    )
}

/** Adds `health`, `pauses` and `forecast` to `payin requisites`; answers the group. */
export const addRequisiteHealthCommands = (requisites: Command): Command => {
  const health = requisites
    .command('health')
    .description('Tell how requisites do: turnover against limits, payments that were paid, runs of failures.')
    .option('--mode <mode>', 'only live or sandbox ones')
    .option('--method <method>', 'only this method')
    .option('--currency <currency>', 'only this currency')
    .option('--status <status>', 'active or paused')
  addPageOptions(health).action(async (options: Record<string, string>, command: Command) => {
    const session = openSession(command)
    const { mode, method, currency, status, limit, cursor } = options
    const query = { mode, method, currency, status, limit, cursor }
    const answer = await session.get<{ requisites: Health[]; nextCursor?: string }>('/requisites/health', query)
    session.show(answer, (body) => {
      if (body.requisites.length === 0) return 'No such requisites.'
      const rows = body.requisites.map((each) => [
        ...[each.id, each.method, each.bankIssuer, each.number],
        each.pause === undefined ? each.status : `paused: ${each.pause.cause}`,
        turnoverOf(each.turnover.dayAmount, each.limits.dayAmount),
        turnoverOf(each.turnover.monthAmount, each.limits.monthAmount),
        ...[each.turnover.open, rateOf(each.lastDay), rateOf(each.lastWeek), printTime(each.lastMoneyAt)],
        `${each.expiredRun} / ${each.unmatchedRun}`,
      ])
      const heads = ['ID', 'METHOD', 'BANK', 'NUMBER', 'STATUS', 'DAY>', 'MONTH>', 'OPEN>', 'PAID 24 H>', 'PAID 7 D>']
      return printTable([...heads, 'LAST MONEY', 'EXPIRED / UNKNOWN RUN>'], rows) + printNext(body.nextCursor)
    })
  })

  const pauses = requisites
    .command('pauses')
    .description('List automatic pauses, the newest first; payin requisites resume ends one.')
    .option('--open', 'only those that last')
  addPageOptions(pauses).action(async (options: { open?: true; limit: string; cursor?: string }, command: Command) => {
    const session = openSession(command)
    const { limit, cursor } = options
    const query = { limit, cursor, open: options.open ? 'true' : undefined }
    const answer = await session.get<{ pauses: Pause[]; nextCursor?: string }>('/requisites/pauses', query)
    session.show(answer, (body) => {
      if (body.pauses.length === 0) return 'No automatic pauses.'
      const rows = body.pauses.map((each) => [
        ...[printTime(each.pausedAt), each.requisiteId, each.cause, each.run],
        each.endedAt === undefined ? 'lasts' : `ended ${printTime(each.endedAt)}`,
      ])
      return printTable(['AT', 'REQUISITE', 'CAUSE', 'RUN>', 'STATE'], rows) + printNext(body.nextCursor)
    })
  })
  addForecast(requisites)
  return requisites
}
