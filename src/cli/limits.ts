import type { LimitsAnswer } from '../http/operator-api/terms.ts'
import { type Group, list, request } from './commands.ts'
import { argument, required } from './inputs.ts'
import { ofMerchant } from './named-inputs.ts'
import { printAmount } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'

/** `payin limits`. */
export const limitCommands: Group = {
  description: "Bounds of a payment's amount, by currency.",
  examples: [
    'payin limits set rub --min 100 --max 300000',
    'payin limits set rub --min 10 --max 1000 --merchant "Demo Shop"',
  ],
  commands: {
    set: request({
      description: 'Set the bounds for every merchant, or for one; this makes a currency supported.',
      request: 'PUT /limits/{currency}',
      inputs: {
        currency: argument('<currency>', 'code, such as rub'),
        min: required('--min <amount>', 'smallest amount', exactNumber),
        max: required('--max <amount>', 'largest amount', exactNumber),
        merchantId: ofMerchant('; default: every merchant without limits of its own'),
      },
      print: ({ min, max, currency, merchantName = 'every merchant without its own limits' }: LimitsAnswer) =>
        `From ${printAmount(min, currency)} to ${printAmount(max, currency)}, for ${merchantName}.`,
    }),
    list: list({
      description: 'List the limits that are set.',
      request: 'GET /limits',
      rows: (answer: { limits: LimitsAnswer[] }) => answer.limits,
      empty: 'No limits yet, so no currency is supported. Set some: payin limits set rub --min 100 --max 300000',
      columns: {
        CURRENCY: 'currency',
        'SMALLEST>': ({ min, currency }) => printAmount(min, currency),
        'LARGEST>': ({ max, currency }) => printAmount(max, currency),
        'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId ?? 'all others',
      },
    }),
  },
}
