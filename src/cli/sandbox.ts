import { type SimulatedEvent, simulatedEvents } from '../rules/sandbox/simulation.ts'
import { type SimulatedFormat, simulatedFormats } from '../rules/sandbox/simulated-statement.ts'
import { encodeWindows1251 } from '../rules/statements/windows-1251.ts'
import type { TurnedClockAnswer } from '../http/operator-api/sandbox.ts'
import type { Payin } from '../../sdk/src/payin-sdk.ts'
import { command, type Group } from './commands.ts'
import { Failure } from './failure.ts'
import { argument, choice, flag, onlyGiven, option, required } from './inputs.ts'
import { exactAmount } from './merchant-payments.ts'
import { ofRequisite } from './named-inputs.ts'
import { printPairs, printSpan } from './print-table.ts'
import { quoted, span } from './read-arguments.ts'
import { resolveId, resolveName } from './resolve-name.ts'
import type { Session } from './session.ts'

type Simulate = Payin['sandbox']['simulate']

const encodeUtf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const merchant = (purpose: string) => option('--merchant <merchant>', `name or id of the merchant${purpose}`)

const merchantIdOf = async (session: Session, typed: string | undefined): Promise<string | undefined> =>
  typed === undefined ? undefined : resolveId(session, 'merchant', typed)

const eventNamed = (typed: string): SimulatedEvent => {
  const event = simulatedEvents.find((each) => each === typed)
  if (event === undefined) throw new Failure([`${quoted(typed)} is not an event: ${simulatedEvents.join(', ')}.`], 2)
  return event
}

const describePlanned = ({ orderId, event }: { readonly orderId: string; readonly event: string }): string =>
  `${event} is simulated for ${orderId}.`

const describeTurned = ({ payments, disputes, deliveries }: TurnedClockAnswer, forwardMs: number): string =>
  `The clock moved forward by ${printSpan(forwardMs)}. Affected: ${printPairs({ payments, disputes, 'attempts of notifications': deliveries })}.`

export const sandboxCommands: Group = {
  description: "Simulated money and time, with a sandbox merchant's token or as an operator.",
  examples: [
    'payin sandbox simulate order-42 overpaid',
    'payin sandbox simulate order-42 dispute-accepted --amount 1400',
    'payin sandbox turn --by 30m',
    'payin sandbox turn --by 3d --merchant "Demo Shop"',
    'payin sandbox simulate order-43 paid --only-in-statement',
    'payin sandbox statement --format 1c --output bank.txt && payin statements import bank.txt',
  ],
  commands: {
    simulate: command({
      description: `Let the simulated bank, payer or operator act on a payment: ${simulatedEvents.join(', ')}.`,
      inputs: {
        order: argument('<order>', 'order of the payment; operators may also give its id'),
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
        merchant: merchant(', if several have this order'),
      },
      run: async (session, { order, merchant: typed, ...given }) => {
        const { event, ...more } = given
        const body = { event, ...onlyGiven(more) } as Parameters<Simulate>[1]
        if (session.side() === 'merchant')
          return session.showValue(
            await session.merchant().ask((payin) => payin.sandbox.simulate(order, body)),
            describePlanned,
          )
        const within = { merchantId: await merchantIdOf(session, typed) }
        const { id, merchantId } = await resolveName(session, 'payment', order, within)
        const path = 'POST /payments/{merchantId}/{id}/simulate'
        session.show(
          await session.call<{ orderId: string; event: string }>(path, { merchantId, id }, { body }),
          describePlanned,
        )
      },
    }),
    turn: command({
      description: 'Turn the clock of a sandbox merchant forward; it cannot be turned back.',
      inputs: {
        forwardMs: required('--by <span>', 'how far, such as 30m, 24h or 3d', span),
        merchant: merchant(', for operators'),
      },
      run: async (session, { forwardMs, merchant: typed }) => {
        const describe = (turned: TurnedClockAnswer): string => describeTurned(turned, forwardMs)
        if (session.side() === 'merchant')
          return session.showValue(
            await session.merchant().ask((payin) => payin.sandbox.turnClock({ forwardMs })),
            describe,
          )
        const id = await merchantIdOf(session, typed)
        if (id === undefined)
          throw new Failure(
            ['Name the merchant (--merchant "Demo Shop"), or give its token (--token payin_test_…).'],
            2,
          )
        session.show(await session.call<TurnedClockAnswer>('POST /merchants/{id}/clock', { id, forwardMs }), describe)
      },
    }),
    statement: command({
      description: "Save a statement of the simulated bank, to import like any bank's.",
      inputs: {
        output: required('--output <path>', 'file to write'),
        format: choice('--format <format>', 'default: camt.053', [...simulatedFormats]),
        day: option('--day <day>', 'such as 2026-01-31; default: today'),
        merchant: merchant(', for operators: only the money of its payments'),
        requisiteId: ofRequisite(', for operators: only its account'),
      },
      run: async (session, { output, merchant: typed, requisiteId, ...rest }) => {
        const given = onlyGiven({ ...rest, format: rest.format as SimulatedFormat | undefined })
        if (session.side() === 'operator') {
          const values = { ...given, requisiteId, merchantId: await merchantIdOf(session, typed), output }
          return session.save('GET /sandbox/statement', values)
        }
        const text = await session.merchant().ask((payin) => payin.sandbox.statement(given))
        const encode = given.format === '1c' ? encodeWindows1251 : encodeUtf8
        await session.saveContent(encode(text), output)
      },
    }),
  },
}
