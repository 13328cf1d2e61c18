import type { Command } from 'commander'
import type { RateAnswer } from '../http/operator-api/rates.ts'
import { addExamples } from './describe-command.ts'
import { printRows, printTime } from './print-table.ts'
import { exactNumber, span } from './read-arguments.ts'
import { inSession, path } from './session.ts'

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
    .option('--source <text>', 'where it comes from; default: manual')
    .option('--max-age <span>', 'how long it may be used, such as 10m; default: until the next one', span)
    .option('--outside-band', 'accept a price far from the last one')
    .action(
      inSession(async (session, currency: string, price: object, { source, maxAge, outsideBand }: SetOptions) => {
        const body = { price, source, maxAgeMs: maxAge, outsideBand }
        session.show(await session.send<RateAnswer>('PUT', path`/rates/${currency}`, body), (rate) => {
          const end = rate.validUntil === undefined ? 'until the next rate' : `until ${printTime(rate.validUntil)}`
          return `1 USDT = ${rate.price} ${rate.currency}, ${end}.`
        })
      }),
    )

  rates
    .command('list')
    .description('List the current rates.')
    .action(
      inSession(async (session) =>
        session.show(await session.get<{ rates: RateAnswer[] }>('/rates'), (body) =>
          body.rates.length === 0
            ? 'No rates yet, so no payment can be created. Set one: payin rates set rub 92.5'
            : printRows(body.rates, {
                CURRENCY: ({ currency }) => currency,
                '1 USDT>': ({ price }) => price,
                SOURCE: ({ source }) => source,
                SET: ({ createdAt }) => printTime(createdAt),
                'VALID UNTIL': ({ validUntil }) => printTime(validUntil) ?? 'the next',
                USABLE: ({ usable }) => (usable ? 'yes' : 'NO'),
              }),
        ),
      ),
    )
}
