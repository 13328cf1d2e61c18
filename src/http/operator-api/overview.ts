import { type Static, Type } from 'typebox'
import { waitingKinds } from '../../domain/waiting.ts'
import { getWaiting } from '../../overview/read.ts'
import { ExactSum, OneOf, Time, wireSum, wireTime, withoutNulls } from '../fields.ts'
import { routesForOperators } from '../routes.ts'

const OverviewAnswer = Type.Object({
  waiting: Type.Array(
    Type.Object({
      kind: OneOf(waitingKinds),
      count: Type.Integer({ minimum: 1 }),
      since: Type.Optional({ ...Time, description: 'When the oldest began to wait.' }),
      dueAt: Type.Optional({ ...Time, description: 'The next deadline.' }),
      amounts: Type.Array(Type.Object({ currency: Type.String(), amount: ExactSum }), {
        description: 'Money that it is about, by currency.',
      }),
    }),
    { description: 'The most urgent kinds first; kinds of which nothing waits are left out.' },
  ),
})

/** What waits for an operator. */
export type OverviewAnswer = Static<typeof OverviewAnswer>

/** What waits for an operator. */
export const overviewRoute = routesForOperators().get('/overview', {
  id: 'getOverview',
  duty: 'read',
  summary: 'Show everything that waits for an operator: how much, since when, and the next deadlines',
  answer: OverviewAnswer,
  handle: async (context) => ({
    waiting: (await getWaiting(context)).map(({ since, dueAt, amounts, ...waiting }) =>
      withoutNulls({
        ...waiting,
        since: wireTime(since),
        dueAt: wireTime(dueAt),
        amounts: amounts.map(({ currency, amount }) => ({ currency, amount: wireSum(amount, currency) })),
      }),
    ),
  }),
})
