import { requests } from '../operations/requests.ts'
import { type Commands, merchantRequest } from './commands.ts'
import { argument, flag, onlyGiven, option } from './inputs.ts'
import { printAnswer } from './noun-commands.ts'
import { wholeNumber } from './read-arguments.ts'

export const logCommands: Commands = {
  logs: merchantRequest({
    description:
      'List the latest requests of your programs and their answers, or show one with its bodies; with a merchant token.',
    inputs: {
      id: argument<string | undefined>('[request]', 'id of a request, from a refusal or `payin-request-id`'),
      outcome: flag('--failed', 'only those that were refused or failed', 'failed' as const),
      limit: option('--limit <rows>', 'rows, at most 100 (default: 50)', wholeNumber),
      cursor: option('--cursor <id>', 'continue after this one'),
    },
    ask: async (payin, { id, outcome, limit, cursor }) =>
      id === undefined ? payin.requests.page(onlyGiven({ outcome, limit, cursor })) : payin.requests.get(id),
    print: (answer) => printAnswer('requests' in answer ? requests.requests : requests.request, answer),
  }),
}
