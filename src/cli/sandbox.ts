import { type SimulatedEvent, simulatedEvents } from '../rules/sandbox/simulation.ts'
import type { TurnedClockAnswer } from '../http/operator-api/sandbox.ts'
import type { Payin } from '../../sdk/src/payin-sdk.ts'
import { command, type Commands, type Group, merchantRequest, request } from './commands.ts'
import { Failure } from './failure.ts'
import { argument, flag, onlyGiven, option, optionOr, required } from './inputs.ts'
import { createBody, exactAmount, newPayment, requireSandbox } from './merchant-payments.ts'
import { ofMerchant, ofRequisite, orderKey } from './named-inputs.ts'
import { printPairs, printSpan } from './print-table.ts'
import { quoted, span } from './read-arguments.ts'

type Simulate = Payin['sandbox']['simulate']

const eventNamed = (typed: string): SimulatedEvent => {
  const event = simulatedEvents.find((each) => each === typed)
  if (event === undefined) throw new Failure([`${quoted(typed)} is not an event: ${simulatedEvents.join(', ')}.`], 2)
  return event
}

type Planned = { readonly orderId: string; readonly event: string }

const eventArgument = argument('<event>', 'what happens', eventNamed)

const describePlanned = ({ orderId, event }: Planned): string => `${event} is simulated for ${orderId}.`

export const triggerCommands: Commands = {
  trigger: merchantRequest({
    description: `Create a sandbox payment, and let something happen to it: ${simulatedEvents.join(', ')}.`,
    inputs: {
      event: eventArgument,
      amount: optionOr('--amount <amount>', 'amount of the payment', '1500', exactAmount),
      currency: optionOr('--currency <currency>', 'its currency', 'rub', String),
      orderId: option('--order <order>', 'its order (default: a new one)'),
      ...newPayment,
    },
    ask: async (payin, { event, ...given }, { surroundings }): Promise<Planned> => {
      const orderId = given.orderId ?? `${event}-${surroundings.newId().slice(0, 8)}`
      await requireSandbox(payin)
      await payin.payments.create(createBody({ ...given, orderId }))
      return payin.sandbox.simulate(orderId, { event })
    },
    print: (planned) => `${describePlanned(planned)} Its payment: payin payments get ${planned.orderId}`,
  }),
}

const describeTurned = (
  { payments, disputes, deliveries }: TurnedClockAnswer,
  { forwardMs }: { readonly forwardMs: number },
): string =>
  `The clock moved forward by ${printSpan(forwardMs)}. Affected: ${printPairs({ payments, disputes, 'attempts of notifications': deliveries })}.`

export const sandboxCommands: Group = {
  description: "Simulated money and time, with a sandbox merchant's token or as an operator.",
  examples: [
    'payin sandbox simulate order-42 overpaid',
    'payin sandbox simulate order-42 dispute-accepted --amount 1400',
    'payin sandbox turn --by 30m',
    'payin sandbox turn --by 3d --merchant "Demo Shop"',
    'payin sandbox simulate order-43 paid --only-in-statement',
    'payin sandbox statement --output bank.xml && payin statements import bank.xml',
  ],
  commands: {
    simulate: request('POST /payments/{merchantId}/{id}/simulate', {
      description: `Let the simulated bank, payer or operator act on a payment: ${simulatedEvents.join(', ')}.`,
      inputs: {
        ...orderKey,
        event: eventArgument,
        amount: option(
          '--amount <amount>',
          'amount to send, take back, claim or credit, instead of the usual one',
          exactAmount,
        ),
        delayMs: option('--delay <span>', 'delay from now, such as 90s', span),
        reportedBy: flag(
          '--only-in-statement',
          "nobody reports the money until the bank's file is imported",
          'statement',
        ),
      },
      asMerchant: (payin, { id, merchantId: _, ...given }): Promise<Planned> =>
        payin.sandbox.simulate(id, onlyGiven(given) as Parameters<Simulate>[1]),
      print: describePlanned,
    }),
    turn: request('POST /merchants/{id}/clock', {
      description: 'Turn the clock of a sandbox merchant forward; it cannot be turned back.',
      inputs: {
        forwardMs: required('--by <span>', 'how far, such as 30m, 24h or 3d', span),
        id: ofMerchant(', for operators'),
      },
      asMerchant: (payin, { forwardMs }): Promise<TurnedClockAnswer> => payin.sandbox.turnClock({ forwardMs }),
      values: async (given) => {
        if (given.id !== undefined) return given
        throw new Failure(['Name the merchant (--merchant "Demo Shop"), or give its token (--token payin_test_…).'], 2)
      },
      print: describeTurned,
    }),
    statement: command({
      description: "Save a statement of the simulated bank, to import like any bank's.",
      inputs: {
        output: required('--output <path>', 'file to write'),
        day: option('--day <day>', 'such as 2026-01-31; default: today'),
        merchantId: ofMerchant(', for operators: only the money of its payments'),
        requisiteId: ofRequisite(', for operators: only its account'),
      },
      run: async (session, { output, merchantId, requisiteId, ...rest }) => {
        const given = onlyGiven(rest)
        if (session.side() === 'operator')
          return session.save('GET /sandbox/statement', { ...given, requisiteId, merchantId, output })
        const text = await session.merchant().ask((payin) => payin.sandbox.statement(given))
        await session.saveContent(new TextEncoder().encode(text), output)
      },
    }),
  },
}
