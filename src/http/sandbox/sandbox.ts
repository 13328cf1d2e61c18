import { Type } from 'typebox'
import { currencyDecimals } from '../../domain/currency.ts'
import { parseDecimal } from '../../domain/decimal.ts'
import { Refusal, refuseField } from '../../domain/refusal.ts'
import { mostSimulated, simulatedEvents } from '../../domain/simulation.ts'
import { getPayments } from '../../payments/read.ts'
import { simulatePayment } from '../../sandbox/simulate-payment.ts'
import { turnClock } from '../../simulation/turn-clock.ts'
import { authenticate, authenticateRequests } from '../auth.ts'
import { ClockTurnBody, TurnedClockAnswer } from '../clock-turn.ts'
import { numberSource } from '../json-body.ts'
import { registerRateLimit } from '../rate-limit.ts'
import { Exact, Id, OneOf, OrderParams, PaymentStatus } from '../fields.ts'
import { routesForMerchants } from '../routes.ts'

const Body = Exact(
  {
    event: OneOf(simulatedEvents, { description: 'What the simulated bank, payer or operator does.' }),
    amount: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description:
          'Money to send, take back, claim or credit instead of what is usual for the event, at most ten times the amount of the payment.',
      }),
    ),
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000, description: 'Milliseconds from now.' })),
  },
  { examples: [{ event: 'paid' }] },
)

/** The sandbox API (docs/domain.md §10). */
export const sandboxRoutes = routesForMerchants('sandbox', async (scope, context) => {
  authenticateRequests(scope, (request) => authenticate(context, request))
  await registerRateLimit(scope, context)
})

sandboxRoutes.post('/payments/byOrderId/:orderId/simulate', {
  id: 'simulatePayment',
  summary: 'Simulate money or time for a sandbox payment',
  scope: 'sandbox:simulate',
  params: OrderParams,
  body: Body,
  status: 202,
  answer: { id: Id, orderId: Type.String(), status: PaymentStatus, event: OneOf(simulatedEvents) },
  refusals: ['amount_above_max', 'amount_precision', 'payment_not_found', 'sandbox_only'],
  handle: async (context, request) => {
    const { merchantId, profile } = request.caller
    const { orderId } = request.params
    if (profile.merchant.mode !== 'sandbox') throw new Refusal('sandbox_only', 'Only sandbox merchants simulate.')
    const [payment] = await getPayments(context, [{ merchantId, orderId }])
    if (!payment) throw new Refusal('payment_not_found', 'There is no payment with this orderId.')
    const { event, delayMs = 0 } = request.body
    const amount =
      request.body.amount === undefined
        ? undefined
        : parseDecimal(numberSource(request.body, 'amount'), currencyDecimals(payment.currency))
    if (amount === 'range') throw refuseField('amount_above_max', 'amount', 'is larger than any amount.')
    if (amount === 'precision') throw refuseField('amount_precision', 'amount', 'has too many decimals.')
    if (amount !== undefined && amount > mostSimulated(payment.amount))
      throw refuseField('amount_above_max', 'amount', 'is more than ten times the amount of the payment.')
    await simulatePayment(context, payment, { event, amount, delayMs })
    return { id: payment.id, orderId, status: payment.status, event }
  },
})

sandboxRoutes.post('/clock', {
  id: 'turnSandboxClock',
  summary: "Turn the sandbox merchant's clock forward",
  description:
    'Whatever is still to come for its payments, disputes, claims, reminders and notifications comes as much sooner, at the latest within a second where its time has come. What was stays as it is; nothing of other merchants moves, and there is no way back.',
  scope: 'sandbox:simulate',
  body: ClockTurnBody,
  answer: TurnedClockAnswer,
  refusals: ['invalid_state', 'sandbox_only'],
  handle: (context, { caller, body }) => turnClock(context, caller.merchantId, body.forwardMs),
})
