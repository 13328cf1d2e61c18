import { type Static, Type } from '../../operations/schema.ts'
import { Refusal } from '../../rules/refusal.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { findPaymentById } from '../../engine/payments/read.ts'
import { simulatePayment } from '../../engine/sandbox/simulate-payments.ts'
import { turnClock } from '../../engine/simulation/turn-clock.ts'
import { actOnBehalf } from '../access/act-on-behalf.ts'
import { ClockTurnBody, TurnedClockAnswer } from '../sandbox/clock-turn.ts'
import type { Context } from '../../engine/context.ts'
import { Id } from '../../operations/fields.ts'
import { routesForOperators } from '../routes/routes.ts'
import {
  sendSimulatedStatement,
  SimulatedStatementFile,
  SimulatedStatementQuery,
} from '../sandbox/simulated-statement.ts'
import { readSimulation, SimulationAnswer, SimulationBody } from '../sandbox/simulation.ts'

/** What a turn of a clock has moved. */
export type TurnedClockAnswer = Static<typeof TurnedClockAnswer>

const refuseLive = async (context: Context, merchantId: string): Promise<void> => {
  const { merchant } = await getProfile(context, merchantId)
  if (merchant.mode !== 'sandbox') throw new Refusal('sandbox_only', `${merchant.name} is a live merchant.`)
}

/** What operators do with the sandbox: its payments, clocks and simulated bank. */
export const sandboxRoutes = routesForOperators()

sandboxRoutes.post('/payments/:merchantId/:id/simulate', 'decide', {
  id: 'simulatePaymentAsOperator',
  summary: 'Simulate money or time for a sandbox payment',
  description: 'Simulates what a bank or a payer would do, as the merchant itself can. Only for sandbox merchants.',
  body: SimulationBody,
  status: 202,
  answer: SimulationAnswer,
  refusals: ['payment_not_found', 'sandbox_only', 'resource_not_found'],
  handle: async (context, request) => {
    const { merchantId, id } = request.params
    await refuseLive(context, merchantId)
    const payment = await findPaymentById(context, merchantId, id)
    if (!payment) throw new Refusal('payment_not_found', 'There is no such payment.')
    const wanted = readSimulation(request.body, payment)
    const { event, reportedBy } = wanted
    const details = { event, reportedBy, ...(wanted.amount !== undefined && { amount: wanted.amount }) }
    const act = { action: 'payment.simulate', subject: `payment:${merchantId}/${id}`, details }
    await actOnBehalf(context, request, (tx) => simulatePayment(tx, payment, wanted), act)
    return { id, orderId: payment.orderId, status: payment.status, event }
  },
})

sandboxRoutes.post('/merchants/:id/clock', 'decide', {
  id: 'turnMerchantClock',
  summary: 'Turn the clock of a sandbox merchant forward',
  description:
    'Everything still to come for its payments, disputes, claims, reminders and notifications comes that much sooner. Other merchants are not affected, and the clock cannot be turned back.',
  body: ClockTurnBody,
  answer: TurnedClockAnswer,
  refusals: ['sandbox_only'],
  handle: async (context, request) => {
    const { id } = request.params
    const { forwardMs } = request.body
    await refuseLive(context, id)
    const act = { action: 'merchant.turn-clock', subject: `merchant:${id}`, details: { forwardMs } }
    // The turn takes several transactions; the audit records before them that it was requested.
    await actOnBehalf(context, request, () => Promise.resolve(), act)
    return turnClock(context, id, forwardMs)
  },
})

sandboxRoutes.get('/sandbox/statement', 'reveal', {
  id: 'getSimulatedStatement',
  summary: 'Download a statement of the simulated bank',
  description:
    "What it received for payments of sandbox merchants and took back on a day, as a file to import like any bank's. Without `merchantId`, its balances are those of the whole accounts.",
  query: {
    ...SimulatedStatementQuery,
    merchantId: Type.Optional(Id, "Only the money of this merchant's payments."),
    requisiteId: Type.Optional(Id, 'Only the statement of this requisite.'),
  },
  answerContent: SimulatedStatementFile,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: (context, { query: { merchantId = null, requisiteId = null, day = null } }, reply) =>
    sendSimulatedStatement(context, reply, { merchantId, requisiteId, day }),
})
