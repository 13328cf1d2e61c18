import { Type } from '../../operations/schema.ts'
import { currencyDecimals, parseDecimal } from '../../rules/values/currency.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { refuseField } from '../../rules/refusal.ts'
import {
  longestDelayMs,
  mostSimulated,
  type SimulatedEvent,
  simulatedEvents,
  type SimulatedReporter,
  simulatedReporters,
} from '../../rules/sandbox/simulation.ts'
import type { Simulation } from '../../engine/sandbox/simulate-payments.ts'
import { Id, PaymentStatus } from '../../operations/fields.ts'
import { numberSource } from '../routes/json-body.ts'

/** What is simulated for a payment. */
export const SimulationBody = Type.Exact(
  {
    event: Type.OneOf(simulatedEvents, 'What the simulated bank, payer or operator does.'),
    amount: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description:
          "Money to send, take back, claim or credit instead of the event's usual amount; at most ten times the amount of the payment.",
      }),
    ),
    delayMs: Type.Optional(
      Type.Integer({ minimum: 0, maximum: longestDelayMs, description: 'Milliseconds from now.' }),
    ),
    reportedBy: Type.Optional(
      Type.OneOf(
        simulatedReporters,
        "Who reports the money: the bank's feed, immediately; or its statement, so that nobody knows of it until the file is imported. Default: `feed`.",
      ),
    ),
  },
  { title: 'Simulation', examples: [{ event: 'paid' }] },
)

/** The simulation that is planned. */
export const SimulationAnswer = Type.Titled('SimulatedEvent', {
  id: Id,
  orderId: Type.String({ examples: ['order-1001'] }),
  status: PaymentStatus,
  event: Type.OneOf(simulatedEvents),
})

type Body = {
  readonly event: SimulatedEvent
  readonly amount?: number
  readonly delayMs?: number
  readonly reportedBy?: SimulatedReporter
}

const readAmount = (body: Body, payment: Payment): bigint | undefined => {
  if (body.amount === undefined) return undefined
  const amount = parseDecimal(numberSource(body, 'amount'), currencyDecimals(payment.currency))
  if (amount === 'range') throw refuseField('amount_above_max', 'amount', 'is too large.')
  if (amount === 'precision') throw refuseField('amount_precision', 'amount', 'has too many decimals.')
  if (amount > mostSimulated(payment.amount))
    throw refuseField('amount_above_max', 'amount', 'is more than ten times the amount of the payment.')
  return amount
}

/** What a body asks to simulate. Refuses `amount_above_max` and `amount_precision`. */
export const readSimulation = (body: Body, payment: Payment): Simulation => {
  const { event, delayMs = 0, reportedBy = 'feed' } = body
  return { event, amount: readAmount(body, payment), delayMs, reportedBy }
}
