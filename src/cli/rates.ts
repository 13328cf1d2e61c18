import type { Command } from 'commander'
import { addExamples } from './describe-command.ts'
import { printTable, printTime } from './print-table.ts'
import { exactNumber, span } from './read-arguments.ts'
import { openSession } from './session.ts'

type Rate = {
  readonly currency: string
  readonly price: number
  readonly source: string
  readonly createdAt: string
  readonly validUntil?: string
  readonly usable: boolean
}

type SetOptions = { readonly source?: string; readonly maxAge?: number; readonly outsideBand?: true }

/** Adds `payin rates`. */
export const addRateCommands = (program: Command): void => {
  const rates = program.command('rates').description('Prices of 1 USDT, by currency.')
  addExamples(rates, ['payin rates set rub 92.5', 'payin rates set rub 92.5 --max-age 10m --source exchange'])

  rates
    .command('set')
    .description('Set the rate of a currency from now on.')
    .argument('<currency>', 'code, such as rub')
    .argument('<price>', 'price of 1 USDT, at most 8 decimals', exactNumber)
    .option('--source <text>', 'where it comes from; manual unless told')
    .option('--max-age <span>', 'how long it may be used, such as 10m; until the next one unless told', span)
    .option('--outside-band', 'accept a price far from the last one')
    .action(async (currency: string, price: object, options: SetOptions, command: Command) => {
      const session = openSession(command)
      const { source, maxAge, outsideBand } = options
      const path = `/rates/${encodeURIComponent(currency)}`
      session.show(await session.send<Rate>('PUT', path, { price, source, maxAgeMs: maxAge, outsideBand }), (rate) => {
        const end = rate.validUntil === undefined ? 'until the next rate' : `until ${printTime(rate.validUntil)}`
        return `1 USDT = ${rate.price} ${rate.currency}, ${end}.`
      })
    })

  rates
    .command('list')
    .description('List the current rates.')
    .action(async (_options: object, command: Command) => {
      const session = openSession(command)
      session.show(await session.get<{ rates: Rate[] }>('/rates'), (body) =>
        body.rates.length === 0
          ? 'No rates yet, so no payment can be created. Set one: payin rates set rub 92.5'
          : printTable(
              ['CURRENCY', '1 USDT>', 'SOURCE', 'SET', 'VALID UNTIL', 'USABLE'],
              body.rates.map(({ currency, price, source, createdAt, validUntil, usable }) => [
                currency,
                price,
                source,
                printTime(createdAt),
                printTime(validUntil) ?? 'the next',
                usable ? 'yes' : 'NO',
              ]),
            ),
      )
    })
}
