import { type SimulatedEvent, simulatedEvents } from '../rules/sandbox/simulation.ts'
import type { TurnedClockAnswer } from '../http/operator-api/sandbox.ts'
import type { Payin } from '../../sdk/src/payin-sdk.ts'
import { command, type Group, request } from './commands.ts'
import { Failure } from './failure.ts'
import { argument, flag, onlyGiven, option, required } from './inputs.ts'
import { exactAmount } from './merchant-payments.ts'
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
        event: argument('<event>', 'what happens', eventNamed),
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
      print: ({ orderId, event }) => `${event} is simulated for ${orderId}.`,
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
