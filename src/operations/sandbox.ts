import { farthestTurnMs } from '../rules/sandbox/clock-turn.ts'
import { longestDelayMs, simulatedEvents, simulatedReporters } from '../rules/sandbox/simulation.ts'
import { Day, Id, idOf, PaymentStatus } from './fields.ts'
import { type Noun, operation } from './operation.ts'
import { type Static, presented, Type } from './schema.ts'

/** What is simulated for a payment. */
export const SimulationBody = Type.Exact(
  {
    event: Type.OneOf(simulatedEvents, 'What the simulated bank, payer or operator does.'),
    'amount?': Type.Number({
      exclusiveMinimum: 0,
      description:
        "Money to send, take back, claim, credit or refund instead of the event's usual amount; at most ten times the amount of the payment.",
    }),
    'delayMs?': Type.Integer({
      minimum: 0,
      maximum: longestDelayMs,
      description: 'Milliseconds from now.',
      kind: 'span',
    }),
    'reportedBy?': Type.OneOf(
      simulatedReporters,
      "Who reports the money: the bank's feed, or its message on a phone (roubles only), immediately; or its statement, so that nobody knows of it until the file is imported. What was not reported by a feed is in the statement, too. Default: `feed`.",
    ),
  },
  { title: 'Simulation', examples: [{ event: 'paid' }] },
)
export type SimulationBody = Static<typeof SimulationBody>

/** The simulation that is planned. */
export const SimulationAnswer = Type.Titled('SimulatedEvent', {
  id: Id,
  orderId: Type.String({ examples: ['order-1001'] }),
  status: PaymentStatus,
  event: Type.OneOf(simulatedEvents),
})

/** How far a sandbox merchant's clock is turned. */
export const ClockTurnBody = Type.Exact(
  {
    forwardMs: Type.Integer({
      minimum: 1,
      maximum: farthestTurnMs,
      description: 'Milliseconds, at most 90 days; to turn farther, call again.',
      kind: 'span',
    }),
  },
  { title: 'ClockTurn', examples: [{ forwardMs: 1_800_000 }] },
)

/** What a turn of the clock has moved. */
export const TurnedClockAnswer = Type.Object(
  {
    payments: Type.Whole('Payments whose time to pay or late window was running.'),
    disputes: Type.Whole('Undecided disputes.'),
    deliveries: Type.Whole('Planned attempts of notifications.'),
  },
  { title: 'TurnedClock', examples: [{ payments: 2, disputes: 0, deliveries: 1 }] },
)
export type TurnedClockAnswer = Static<typeof TurnedClockAnswer>

/** Query of a statement of the simulated bank. Each API adds whose statement it is. */
export const SimulatedStatementQuery = {
  'day?': presented(Day, 'Day of the bookings in the zone of each account. Default: today.'),
}

/** Response schema of a statement of the simulated bank. */
export const SimulatedStatementFile = {
  description: 'The statement file of the simulated bank, as camt.053.',
  content: { 'application/xml': { schema: Type.Unsafe<string>({ type: 'string' }) } },
}

export const sandbox = {
  about: "Simulated money and time, with a sandbox merchant's token or as an operator.",
  examples: [
    'payin sandbox simulate order-42 overpaid',
    'payin sandbox simulate order-42 dispute-accepted --amount 1400',
    'payin sandbox turn --by 30m',
    'payin sandbox turn --by 3d --merchant "Demo Shop"',
    'payin sandbox simulate order-43 paid --reported-by statement',
    'payin sandbox simulate order-44 paid --reported-by message',
    'payin sandbox statement --output bank.xml && payin statements import bank.xml',
  ],
  operations: {
    simulate: operation('POST /payments/{merchantId}/{id}/simulate', 'decide', {
      id: 'simulatePaymentAsOperator',
      summary: 'Simulate money or time for a sandbox payment',
      description: 'Simulates what a bank or a payer would do, as the merchant itself can. Only for sandbox merchants.',
      body: SimulationBody,
      status: 202,
      answer: SimulationAnswer,
      refusals: ['payment_not_found', 'sandbox_only', 'resource_not_found'],
      command: {
        about: 'Let the simulated bank, payer or operator act on a payment.',
        arguments: ['event'],
        says: ({ orderId, event }) => `${event} is simulated for ${orderId}.`,
      },
    }),
    turn: operation('POST /merchants/{id}/clock', 'decide', {
      id: 'turnMerchantClock',
      summary: 'Turn the clock of a sandbox merchant forward',
      description:
        'Everything still to come for its payments, disputes, claims, reminders and notifications comes that much sooner. Other merchants are not affected, and the clock cannot be turned back.',
      body: ClockTurnBody,
      answer: TurnedClockAnswer,
      refusals: ['sandbox_only'],
      command: {
        options: { forwardMs: '--by' },
        says: ({ payments, disputes, deliveries }, { span }, { forwardMs }) =>
          `The clock moved forward by ${span(Number(forwardMs))}. Affected: payments ${payments}, disputes ${disputes}, attempts of notifications ${deliveries}.`,
      },
    }),
    statement: operation('GET /sandbox/statement', 'reveal', {
      id: 'getSimulatedStatement',
      summary: 'Download a statement of the simulated bank',
      description:
        "What it received for payments of sandbox merchants and took back on a day, as a file to import like any bank's. Without `merchantId`, its balances are those of the whole accounts.",
      query: {
        ...SimulatedStatementQuery,
        'merchantId?': presented(idOf('merchant'), "Only the money of this merchant's payments."),
        'requisiteId?': presented(idOf('requisite'), 'Only the statement of this requisite.'),
      },
      answerContent: SimulatedStatementFile,
      refusals: ['invalid_state', 'resource_not_found'],
      command: null,
    }),
  },
} satisfies Noun<unknown>
