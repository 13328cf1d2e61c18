import { waitingKindNames, waitingKinds } from '../rules/notices/waiting.ts'
import { ExactSum, Time } from './fields.ts'
import { ModeQuery } from './lists.ts'
import { operation } from './operation.ts'
import { type Static, presented, Type } from './schema.ts'

const OverviewAnswer = Type.Object({
  waiting: Type.Rows('The most urgent kinds first; kinds with nothing waiting are left out.', {
    kind: Type.OneOf(waitingKindNames),
    count: Type.Integer({ minimum: 1 }),
    'since?': presented(Time, 'Since when the oldest has waited.'),
    'dueAt?': presented(Time, { description: 'The next deadline.', heading: 'Deadline' }),
    amounts: Type.Rows('Money involved, by currency.', { currency: Type.String(), amount: ExactSum }),
  }),
})
export type OverviewAnswer = Static<typeof OverviewAnswer>

export const overview = {
  today: operation('GET /overview', 'read', {
    id: 'getOverview',
    summary: 'Show everything that waits for an operator: how many, since when, and the next deadlines',
    description: 'For each kind: how many wait, since when the oldest has waited, and the next deadline.',
    query: ModeQuery,
    answer: OverviewAnswer,
    command: {
      about:
        'Show everything that waits for you: how many, since when, the next deadlines, and the command that lists it.',
      columns: [
        { heading: 'Waiting', show: ({ kind, count }) => `${waitingKinds[kind].words}: ${count}` },
        { heading: 'Shown by', show: ({ kind }) => waitingKinds[kind].command, kind: 'word' },
        {
          heading: 'Money',
          show: ({ amounts }) => amounts.map(({ amount, currency }) => `${amount} ${currency}`).join('\n'),
          kind: 'number',
        },
        ...(['dueAt', 'since'] as const),
      ],
      empty: 'Nothing waits for you. To see whether something is wrong with the service: payin alerts, payin doctor',
    },
  }),
}
