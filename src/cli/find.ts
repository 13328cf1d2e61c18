import type { FoundAnswer } from '../http/operator-api/search.ts'
import { list, type Commands } from './commands.ts'
import { argument, option } from './inputs.ts'
import { printAmount, printTime } from './print-table.ts'

/** `payin find`. */
export const findCommands: Commands = {
  find: list({
    description:
      'Find payments, transfers, settlements, merchants and requisites by order, id, amount, number or its last four digits, bank reference, name or text.',
    request: 'GET /search',
    inputs: {
      q: argument('<text...>', 'what to look for; several words must all fit', (word: string, before?: string) =>
        before === undefined ? word : `${before} ${word}`,
      ),
      limit: option('--limit <rows>', 'most results, 1 to 100; default: 20'),
    },
    rows: (answer: { results: FoundAnswer[] }) => answer.results,
    empty:
      'Nothing was found. Fewer words find more; what was written in the last seconds is found by its order or id only.',
    columns: {
      FOUND: 'kind',
      'NAMED~': 'label',
      'AMOUNT>': ({ amount, currency }) =>
        amount === undefined || currency === undefined ? undefined : printAmount(amount, currency),
      STATE: 'state',
      'ID%': 'id',
      AT: ({ at }) => printTime(at),
      'OTHER SIDE~': ({ number, name }) => [name, number].filter((each) => each !== undefined).join(', ') || undefined,
    },
  }),
}
