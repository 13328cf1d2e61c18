import type { RequestAnswer, RequestSummaryAnswer } from '../http/answers/logged-request.ts'
import { type Commands, list, merchantRequest, request } from './commands.ts'
import { argument, flag, option } from './inputs.ts'
import { merchant } from './named-inputs.ts'
import { type Columns, printFields, printList, printPageEnd, printSections, printTime } from './print-table.ts'
import { wholeNumber } from './read-arguments.ts'

type Page = { readonly requests: readonly RequestSummaryAnswer[]; readonly nextCursor?: string }

const columns: Columns<RequestSummaryAnswer> = {
  WHEN: ({ at }) => printTime(at),
  OPERATION: 'operation',
  'STATUS>': 'status',
  CODE: 'code',
  'MS>': 'durationMs',
  'TIMES>': 'times',
  'PATH~': ({ method, path }) => `${method} ${path}`,
  ID: 'id',
}

const page = {
  outcome: flag('--failed', 'only those that were refused or failed', 'failed' as const),
  limit: option('--limit <rows>', 'rows, at most 100 (default: 50)', wholeNumber),
  cursor: option('--cursor <id>', 'continue after this one'),
}

const requestId = 'id of a request, from a refusal or `payin-request-id`'

const describe = (shown: RequestAnswer) =>
  printFields({
    Request: shown.id,
    When: printTime(shown.at),
    Operation: shown.operation,
    Asked: `${shown.method} ${shown.path}`,
    Answer: [shown.status, shown.code].filter((part) => part !== undefined).join(' '),
    Took: `${shown.durationMs} ms`,
    Times: shown.times > 1 ? shown.times : undefined,
    Body: shown.requestBody,
    Answered: shown.answerBody,
  })

export const logCommands: Commands = {
  logs: merchantRequest({
    description:
      'List the latest requests of your programs and their answers, or show one with its bodies; with a merchant token.',
    inputs: {
      id: argument<string | undefined>('[request]', requestId),
      ...page,
    },
    ask: async (payin, { id, outcome, limit, cursor }) =>
      id === undefined
        ? payin.requests.page({
            ...(outcome && { outcome }),
            ...(limit !== undefined && { limit }),
            ...(cursor !== undefined && { cursor }),
          })
        : payin.requests.get(id),
    print: (answer) => {
      if (!('requests' in answer)) return describe(answer)
      if (answer.requests.length === 0) return 'No requests yet.'
      return printSections(printList(answer.requests, columns), ...printPageEnd(answer))
    },
  }),
}

/** The same for operators, as commands of `payin merchants`. */
export const merchantLogCommands: Commands = {
  requests: list('GET /merchants/{merchantId}/requests', {
    description: "List the latest requests of a merchant's programs and their answers.",
    inputs: { merchantId: merchant, ...page },
    rows: (answer: Page) => answer.requests,
    empty: 'No requests yet.',
    columns,
  }),
  request: request('GET /merchants/{merchantId}/requests/{requestId}', {
    description: 'Show a request of a merchant with its bodies; `payin find` shows whose it is.',
    inputs: { merchantId: merchant, requestId: argument('<request>', requestId) },
    print: describe,
  }),
}
