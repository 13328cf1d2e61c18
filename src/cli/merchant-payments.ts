import { creditedStatuses, paymentStatuses } from '../rules/payments/payment.ts'
import { type SimulatedEvent, simulatedEvents } from '../rules/sandbox/simulation.ts'
import { printSpan } from '../rules/time.ts'
import { methodRules, type PaymentMethod, paymentMethods } from '../rules/values/payment-method.ts'
import {
  type CreatedPayment,
  type CreatePayment,
  type Payin,
  type PaymentStatus,
  PayinTimeoutError,
} from '../../sdk/src/payin-sdk.ts'
import { type Commands, merchantRequest } from './commands.ts'
import { Failure } from './failure.ts'
import { argument, choice, onlyGiven, option, optionOr, required } from './inputs.ts'
import { printAmount, type Printed, printFields, printTime } from './print-table.ts'
import { exactNumber, pairs, span, wordsOf } from './read-arguments.ts'
import { sayWord } from './say.ts'

const orderArgument = argument('<order>', "the merchant's own identifier of the order")

/** An amount that JSON writes with the digits that were typed. */
export const exactAmount = (typed: string): number => exactNumber(typed) as unknown as number

const newPayment = {
  method: optionOr('--method <method>', `how the payer sends the money: ${paymentMethods.join(', ')}`, 'sbp', String),
  type: optionOr(
    '--type <type>',
    'direct, or staged, where the page first asks for the payer’s phone',
    'direct',
    String,
  ),
  userId: option('--user <id>', "the merchant's own identifier of its user"),
  bankIssuer: option('--bank <bank>', 'only this bank, such as sberbank'),
}

/** The body of a create request, from what was typed. */
const createBody = (given: { readonly method: string } & Partial<Record<keyof CreatePayment, unknown>>) => {
  const transferScope = methodRules[given.method as PaymentMethod]?.transferScope ?? undefined
  return onlyGiven({ ...given, transferScope }) as CreatePayment
}

/** Refuses a live merchant before a payment of real money is made. */
export const requireSandbox = async (payin: Payin): Promise<void> => {
  const { mode, name } = await payin.me()
  if (mode !== 'sandbox') throw new Failure([`${name} is a live merchant: only the sandbox has simulated money.`])
}

const describeCreated = ({ payment, card, redirectUrl }: CreatedPayment): Printed =>
  printFields({
    Order: payment.orderId,
    Id: payment.id,
    Status: sayWord(payment.status, paymentStatuses),
    Amount: printAmount(payment.amount, payment.currency),
    Total: printAmount(payment.total.amount, payment.total.currency),
    'Pay to': card.pan ?? card.phone,
    Bank: card.bankIssuer,
    Expires: printTime(payment.expiredAt),
    Page: redirectUrl,
  })

/** Actions of a merchant on one payment, by its order: commands of `payin payments`. */
export const merchantPaymentCommands: Commands = {
  create: merchantRequest({
    description: 'Create a payment, with a merchant token. Creating it again returns the same payment.',
    inputs: {
      amount: argument('<amount>', 'amount, such as 1500.01', exactAmount),
      currency: argument('<currency>', 'currency code, such as rub'),
      orderId: option('--order <order>', "the merchant's own identifier of it (default: a new one)"),
      ...newPayment,
      returnUrl: option('--return-url <address>', "where the payer's page sends the payer back to"),
      locale: option('--locale <language>', "language of the payer's page, such as en"),
      metadata: option(
        '--metadata <pairs>',
        'your own texts to keep with it, such as cart=8213,campaign=autumn',
        pairs,
      ),
    },
    ask: (payin, given, { surroundings }) =>
      payin.payments.create(
        createBody({ ...given, orderId: given.orderId ?? `order-${surroundings.newId().slice(0, 8)}` }),
      ),
    print: describeCreated,
  }),
  get: merchantRequest({
    description: "Show the details of a payment, with its merchant's token.",
    inputs: { orderId: orderArgument },
    ask: (payin, { orderId }) => payin.payments.get(orderId),
    print: ({ id, orderId, status, amount, finalAmount, currency }) =>
      printFields({
        Order: orderId,
        Id: id,
        Status: sayWord(status, paymentStatuses),
        Amount: printAmount(amount, currency),
        'Final amount': finalAmount === undefined ? undefined : printAmount(finalAmount, currency),
      }),
  }),
  wait: merchantRequest({
    description:
      "Wait until a payment is paid or ends, with its merchant's token. Exits with 1 unless it is paid or disput-paid or, with --until, has one of these statuses.",
    inputs: {
      orderId: orderArgument,
      until: option(
        '--until <statuses>',
        'wait for one of these statuses, separated by commas',
        wordsOf(paymentStatuses, 'status'),
      ),
      timeoutMs: optionOr('--timeout <span>', 'longest time to wait', '1h', span),
    },
    ask: async (payin, { orderId, until, timeoutMs }) => {
      try {
        return { ...(await payin.payments.waitFor(orderId, { timeoutMs, ...(until && { until }) })), isInTime: true }
      } catch (error) {
        if (!(error instanceof PayinTimeoutError)) throw error
        return { ...(await payin.payments.status(orderId)), isInTime: false }
      }
    },
    print: ({ orderId, status, isInTime }, { timeoutMs }) =>
      isInTime ? `${orderId} is ${status}.` : `${orderId} is still ${status} after ${printSpan(timeoutMs)}.`,
    failed: ({ status, isInTime }, { until }) => !isInTime || (until === undefined && !creditedStatuses.has(status)),
  }),
  ack: merchantRequest({
    description: "Acknowledge a payment that is paid or disput-paid, with its merchant's token.",
    inputs: {
      orderId: orderArgument,
      status: choice('--status <status>', 'refuse if the status is no longer this one', [...creditedStatuses]),
    },
    ask: (payin, { orderId, status }) => payin.payments.ack(orderId, status as PaymentStatus | undefined),
    print: ({ orderId, status, acknowledgedAt }) =>
      `${orderId} is ${status} and was acknowledged at ${printTime(acknowledgedAt)}.`,
  }),
  dispute: merchantRequest({
    description: 'As a merchant, claim that the payer of an expired, canceled or failed payment has sent money.',
    inputs: {
      orderId: orderArgument,
      amount: required('--amount <amount>', 'amount that the payer sent', exactAmount),
      note: option('--note <note>', 'for the operator'),
    },
    ask: (payin, { orderId, ...claimed }) => payin.disputes.open(orderId, onlyGiven(claimed) as { amount: number }),
    print: ({ orderId, state, status, dueAt }) =>
      `The dispute about ${orderId} is ${state}, the payment ${status}; it will be decided by ${printTime(dueAt)}.`,
  }),
}

export const triggerCommands: Commands = {
  trigger: merchantRequest({
    description: `Create a sandbox payment, and let something happen to it: ${simulatedEvents.join(', ')}.`,
    inputs: {
      event: argument('<event>', 'what happens', undefined, simulatedEvents),
      amount: optionOr('--amount <amount>', 'amount of the payment', '1500', exactAmount),
      currency: optionOr('--currency <currency>', 'its currency', 'rub', String),
      orderId: option('--order <order>', 'its order (default: a new one)'),
      ...newPayment,
    },
    ask: async (payin, { event, ...given }, { surroundings }) => {
      const orderId = given.orderId ?? `${event}-${surroundings.newId().slice(0, 8)}`
      await requireSandbox(payin)
      await payin.payments.create(createBody({ ...given, orderId }))
      return payin.sandbox.simulate(orderId, { event: event as SimulatedEvent })
    },
    print: ({ event, orderId }) => `${event} is simulated for ${orderId}. Its payment: payin payments get ${orderId}`,
  }),
}
