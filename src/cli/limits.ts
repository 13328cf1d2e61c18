import type { Command } from 'commander'
import { addExamples } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './merchants.ts'
import { printAmount, printTable } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'
import { openSession } from './session.ts'

type Limits = { readonly merchantId?: string; readonly currency: string; readonly min: number; readonly max: number }

/** Adds `payin limits`. */
export const addLimitCommands = (program: Command): void => {
  const limits = program.command('limits').description("Bounds of a payment's amount, by currency.")
  addExamples(limits, [
    'payin limits set rub --min 100 --max 300000',
    'payin limits set rub --min 10 --max 1000 --merchant "Demo Shop"',
  ])

  limits
    .command('set <currency>')
    .description('Set the bounds for every merchant, or for one; this makes a currency supported.')
    .requiredOption('--min <amount>', 'smallest amount', exactNumber)
    .requiredOption('--max <amount>', 'largest amount', exactNumber)
    .option('--merchant <merchant>', merchantArgument)
    .action(async (currency: string, options: { min: object; max: object; merchant?: string }, command: Command) => {
      const session = openSession(command)
      const { min, max, merchant } = options
      const merchantId = merchant === undefined ? undefined : await findMerchantId(session, merchant)
      const path = `/limits/${encodeURIComponent(currency)}`
      session.show(await session.send<Limits>('PUT', path, { min, max, merchantId }), (set) => {
        const whom = set.merchantId === undefined ? 'every merchant without its own limits' : set.merchantId
        return `From ${printAmount(set.min, set.currency)} to ${printAmount(set.max, set.currency)}, for ${whom}.`
      })
    })

  limits
    .command('list')
    .description('List the limits that are set.')
    .action(async (_options: object, command: Command) => {
      const session = openSession(command)
      session.show(await session.get<{ limits: Limits[] }>('/limits'), (body) =>
        body.limits.length === 0
          ? 'No limits yet, so no currency is supported. Set some: payin limits set rub --min 100 --max 300000'
          : printTable(
              ['CURRENCY', 'SMALLEST>', 'LARGEST>', 'MERCHANT'],
              body.limits.map(({ currency, min, max, merchantId }) => [
                currency,
                printAmount(min, currency),
                printAmount(max, currency),
                merchantId ?? 'every other',
              ]),
            ),
      )
    })
}
