import { presented } from '../../operations/schema.ts'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../rules/refusal.ts'
import { getPayments } from '../../engine/payments/read.ts'
import { simulatePayment } from '../../engine/sandbox/simulate-payments.ts'
import { turnClock } from '../../engine/simulation/turn-clock.ts'
import {
  ClockTurnBody,
  SimulatedStatementFile,
  SimulatedStatementQuery,
  SimulationAnswer,
  SimulationBody,
  TurnedClockAnswer,
} from '../../operations/sandbox.ts'
import { Id, amountRefusals } from '../../operations/fields.ts'
import { prepareForMerchants } from '../access/prepare-for-merchants.ts'
import { routesForMerchants } from '../routes/routes.ts'
import { readSimulation, sendSimulatedStatement } from './simulation.ts'

const refuseLive = ({ profile }: FastifyRequest['caller']): void => {
  if (profile.merchant.mode !== 'sandbox')
    throw new Refusal('sandbox_only', 'Only sandbox merchants can simulate payments.')
}

/** The sandbox API (docs/domain.md §10). */
export const sandboxRoutes = routesForMerchants('sandbox', prepareForMerchants)

sandboxRoutes.post('/payments/byOrderId/:orderId/simulate', 'sandbox:simulate', {
  id: 'simulatePayment',
  summary: 'Simulate money or time for a sandbox payment',
  description:
    'Simulates what a bank or a payer would do: the payment changes as it would with real money, and its notifications are sent. Only for sandbox merchants.',
  body: SimulationBody,
  status: 202,
  answer: SimulationAnswer,
  refusals: [...amountRefusals, 'payment_not_found', 'sandbox_only'],
  handle: async (context, { caller, params: { orderId }, body }) => {
    refuseLive(caller)
    const [payment] = await getPayments(context, [{ merchantId: caller.merchantId, orderId }])
    if (!payment) throw new Refusal('payment_not_found', 'There is no payment with this orderId.')
    const wanted = readSimulation(body, payment)
    await context.transaction((tx) => simulatePayment(tx, payment, wanted))
    return { id: payment.id, orderId, status: payment.status, event: body.event }
  },
})

sandboxRoutes.get('/statement', 'sandbox:simulate', {
  id: 'getSandboxStatement',
  summary: "Download a statement of the sandbox merchant's simulated bank",
  description:
    "What the simulated bank received and took back on a day, with its balances, as a file that an operator imports like any bank's. Importing money that the feed has already reported changes nothing.",
  takesTurns: true,
  query: {
    ...SimulatedStatementQuery,
    'cardId?': presented(Id, '`card.id` of a payment: only the statement of that account.'),
  },
  answerContent: SimulatedStatementFile,
  refusals: ['invalid_state', 'resource_not_found', 'sandbox_only'],
  handle: (context, { caller, query: { day = null, cardId: requisiteId = null } }, reply) => {
    refuseLive(caller)
    return sendSimulatedStatement(context, reply, { merchantId: caller.merchantId, requisiteId, day })
  },
})

sandboxRoutes.post('/clock', 'sandbox:simulate', {
  id: 'turnSandboxClock',
  summary: "Turn the sandbox merchant's clock forward",
  description:
    'Everything still to come for its payments, disputes, claims, reminders and notifications comes that much sooner; what is then due happens within a second. The past does not change, other merchants are not affected, and the clock cannot be turned back.',
  takesTurns: true,
  body: ClockTurnBody,
  answer: TurnedClockAnswer,
  refusals: ['invalid_state', 'sandbox_only'],
  handle: (context, { caller, body }) => turnClock(context, caller.merchantId, body.forwardMs),
})
