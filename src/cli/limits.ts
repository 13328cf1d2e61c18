import type { Command } from 'commander'
import type { LimitsAnswer } from '../http/operator-api/limits.ts'
import { addExamples } from './describe-command.ts'
import { findOptionalMerchantId, merchantArgument } from './find-merchant-id.ts'
import { printAmount, printRows } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'
import { inSession, path } from './session.ts'

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
    .action(
      inSession(async (session, currency: string, options: { min: object; max: object; merchant?: string }) => {
        const { min, max, merchant } = options
        const body = { min, max, merchantId: await findOptionalMerchantId(session, merchant) }
        session.show(await session.send<LimitsAnswer>('PUT', path`/limits/${currency}`, body), (set) => {
          const whom = set.merchantId === undefined ? 'every merchant without its own limits' : set.merchantId
          return `From ${printAmount(set.min, set.currency)} to ${printAmount(set.max, set.currency)}, for ${whom}.`
        })
      }),
    )

  limits
    .command('list')
    .description('List the limits that are set.')
    .action(
      inSession(async (session) =>
        session.show(await session.get<{ limits: LimitsAnswer[] }>('/limits'), (body) =>
          body.limits.length === 0
            ? 'No limits yet, so no currency is supported. Set some: payin limits set rub --min 100 --max 300000'
            : printRows(body.limits, {
                CURRENCY: ({ currency }) => currency,
                'SMALLEST>': ({ min, currency }) => printAmount(min, currency),
                'LARGEST>': ({ max, currency }) => printAmount(max, currency),
                MERCHANT: ({ merchantId }) => merchantId ?? 'every other',
              }),
        ),
      ),
    )
}
