import type { RateAnswer } from '../http/operator-api/rates.ts'
import { type Group, group, list, request } from './commands.ts'
import { argument, flag, option } from './inputs.ts'
import { printTime } from './print-table.ts'
import { rateOverrideCommands, rateSourceCommands } from './rate-sources.ts'
import { exactNumber, span } from './read-arguments.ts'

/** `payin rates`. */
export const rateCommands: Group = {
  description: 'Prices of 1 USDT, by currency.',
  examples: ['payin rates set rub 92.5', 'payin rates set rub 92.5 --max-age 10m --source exchange'],
  commands: {
    set: request({
      description: 'Set the rate of a currency from now on.',
      request: 'PUT /rates/{currency}',
      inputs: {
        currency: argument('<currency>', 'code, such as rub'),
        price: argument('<price>', 'price of 1 USDT, at most 8 decimals', exactNumber),
        source: option('--source <text>', 'where it comes from; default: manual'),
        maxAgeMs: option('--max-age <span>', 'how long it may be used, such as 10m; default: until the next one', span),
        outsideBand: flag('--outside-band', 'accept a price far from the last one'),
      },
      print: ({ currency, price, validUntil }: RateAnswer) =>
        `1 USDT = ${price} ${currency}, until ${printTime(validUntil) ?? 'the next rate'}.`,
    }),
    list: list({
      description: 'List the current rates.',
      request: 'GET /rates',
      rows: (answer: { rates: RateAnswer[] }) => answer.rates,
      empty: 'No rates yet, so no payment can be created. Set one: payin rates set rub 92.5',
      columns: {
        CURRENCY: 'currency',
        '1 USDT>': 'price',
        SOURCE: 'source',
        SET: ({ createdAt }) => printTime(createdAt),
        'VALID UNTIL': ({ validUntil }) => printTime(validUntil) ?? 'the next rate',
        USABLE: ({ usable }) => (usable ? 'yes' : 'NO'),
      },
    }),
    sources: group(rateSourceCommands),
    override: group(rateOverrideCommands),
  },
}
