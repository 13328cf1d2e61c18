import { paymentMethods } from '../rules/values/payment-method.ts'
import type { Payin } from '../../sdk/src/payin-sdk.ts'
import { command, type Commands } from './commands.ts'
import { argument, option, optionOr } from './inputs.ts'
import { integrationChecks, type IntegrationCheck } from './integration-checks.ts'
import { IntegrationProbe, type Step, type Target } from './integration-probe.ts'
import { secretOf, secretOption, webAddress } from './listen.ts'
import { exactAmount, requireSandbox } from './merchant-payments.ts'
import { span, wordsOf } from './read-arguments.ts'
import { say } from './say.ts'
import type { Session } from './session.ts'

type Graded = {
  readonly name: string
  readonly title: string
  readonly passed: boolean
  readonly steps: readonly Step[]
  /** The page of the documentation that explains it. */
  readonly page: string
}

const names = integrationChecks.map(({ name }) => name)

const describe = ({ name, title, passed, steps, page }: Graded): string =>
  [
    `${passed ? 'passed' : 'FAILED'}  ${name}: ${title}`,
    ...steps
      .filter((step) => !step.passed)
      .flatMap(({ sent, expected, happened }) => [
        `          sent      ${sent}`,
        `          expected  ${expected}`,
        `          happened  ${happened}`,
      ]),
    ...(passed ? [] : [`          more      ${page}`]),
  ].join('\n')

const runChecks = async (
  session: Session,
  payin: Payin,
  target: Target,
  { url, checks }: { readonly url: string; readonly checks: readonly IntegrationCheck[] },
): Promise<Graded[]> => {
  await requireSandbox(payin)
  const probe = new IntegrationProbe(payin, target, session.surroundings)
  const graded: Graded[] = []
  try {
    for (const { name, title, page, run } of checks) {
      probe.steps = []
      await run(probe)
      const { steps } = probe
      const result = { name, title, passed: steps.every((step) => step.passed), steps, page: `${url}/docs/${page}` }
      graded.push(result)
      if (!session.isJson) session.surroundings.output.write(`${say(describe(result))}\n`)
    }
  } finally {
    await probe.close()
  }
  return graded
}

/** Advice if nothing was acknowledged: the shop may not know the orders that this command created. */
const aboutOrders =
  '\nNothing was acknowledged. If your handler accepts only orders that your shop has created, let the shop create them: --create.'

const isWithoutAcks = (graded: readonly Graded[]): boolean =>
  graded.every(({ steps }) => steps.every(({ happened }) => happened !== 'acknowledged'))

const summarize = (graded: readonly Graded[], createAt: string | undefined): string => {
  const passed = graded.filter((each) => each.passed).length
  if (passed === graded.length) return `\n${passed} of ${graded.length} checks passed: the handler works correctly.`
  const hint = createAt === undefined && isWithoutAcks(graded) ? aboutOrders : ''
  return `\n${passed} of ${graded.length} checks passed.${hint}`
}

export const integrationCommands: Commands = {
  'check-integration': command({
    description:
      'Test a merchant’s handler with sandbox payments: send it everything that can happen, and check how it answers and acknowledges. Exits with 1 unless every check passes.',
    inputs: {
      address: argument('<address>', 'address of the handler, such as http://localhost:3000/payin', webAddress),
      secret: secretOption,
      only: option(
        '--only <checks>',
        `only these checks, separated by commas: ${names.join(', ')}`,
        wordsOf(names, 'check'),
      ),
      createAt: option(
        '--create <address>',
        'where your shop creates a payment: POST {"user", "amount", "currency"}, answers {"orderId"} (default: this command creates the payments, and your handler must accept orders that it does not know)',
        webAddress,
      ),
      balanceAt: option(
        '--balance <address>',
        'where your shop reports what it has credited to a user, such as http://localhost:3000/users/{user}; answers a number or {"balance"}',
        webAddress,
      ),
      amount: optionOr('--amount <amount>', 'amount of the payments', '1500', exactAmount),
      currency: optionOr('--currency <currency>', 'their currency', 'rub', String),
      method: optionOr('--method <method>', `their method: ${paymentMethods.join(', ')}`, 'sbp', String),
      answerWithinMs: optionOr('--answer-within <span>', 'longest time for an answer', '5s', span),
      ackWithinMs: optionOr('--ack-within <span>', 'longest time until the ack', '10s', span),
    },
    run: async (session, { secret: given, only, amount, method, ...target }) => {
      const [merchant, { errors, output }] = [session.merchant(), session.surroundings]
      const { secret, isGiven } = secretOf(merchant, given)
      if (!isGiven) {
        errors.write(say(`Your handler must verify with PAYIN_SECRET=${secret} (or give --secret).\n`))
      }
      const graded = await merchant.ask((payin) =>
        runChecks(
          session,
          payin,
          { ...target, secret, amount: Number(JSON.stringify(amount)), method: method as Target['method'] },
          { url: merchant.url, checks: integrationChecks.filter(({ name }) => only?.includes(name) !== false) },
        ),
      )
      const passed = graded.every((each) => each.passed)
      if (session.isJson) session.showValue({ passed, checks: graded }, () => '')
      else output.write(`${say(summarize(graded, target.createAt))}\n`)
      if (!passed) session.fail()
    },
  }),
}
