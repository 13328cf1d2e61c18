import { Type } from 'typebox'
import { setOpeningBalance } from '../../ledger/opening-balances/set-opening-balance.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { Currency, Day, Id, IdParams } from '../fields.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'
import { Reason } from './operator-fields.ts'

/** What accounts held at first. */
export const openingBalanceRoute = routesForOperators()

openingBalanceRoute.put('/requisites/:id/opening-balance', {
  id: 'setOpeningBalance',
  duty: 'account',
  summary: 'Set what a requisite held before its first day here',
  description:
    'The balance when the first day began whose transfers are recorded, in the time zone of the requisite. What was booked before is in it and is not recorded. The same again changes nothing; an earlier day with its balance takes the place of the day that was set. Refused for a day after a payment waited for money on it.',
  params: IdParams,
  body: {
    day: Day,
    balance: Type.Number({ description: 'Exact amount; below zero for an overdraft.', examples: [125000.5] }),
    currency: Currency,
    reason: Reason,
  },
  answer: { requisiteId: Id, day: Type.String() },
  refusals: ['already_exists', 'amount_above_max', 'amount_precision', 'resource_not_found'],
  handle: async (context, request) => {
    const { id: requisiteId } = request.params
    const { day, currency, reason } = request.body
    const balance = readBody((read) => read.amount(request.body, 'balance', currency))
    const details = { day, currency, balance, reason }
    const wanted = { requisiteId, ...details, setBy: actorOf(request) }
    const act = { action: 'opening-balance.set', subject: `requisite:${requisiteId}`, details }
    await actOnBehalf(context, request, (tx) => setOpeningBalance(tx, wanted), act)
    return { requisiteId, day }
  },
})
