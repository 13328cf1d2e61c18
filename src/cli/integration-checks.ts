import { setTimeout as sleep } from 'node:timers/promises'
import type { SimulatedEvent } from '../rules/sandbox/simulation.ts'
import type { IntegrationProbe, Notification, PlayedPayment } from './integration-probe.ts'

export type IntegrationCheck = {
  readonly name: string
  readonly title: string
  readonly page: string
  readonly run: (probe: IntegrationProbe) => Promise<void>
}

const ofKind = ({ notifications }: PlayedPayment, kind: string): Notification => {
  const found = notifications.find(({ type }) => type === kind)
  if (found === undefined) throw new Error(`${kind} was not received`)
  return found
}

const dataOf = ({ body }: Notification) => (JSON.parse(body) as { data: Record<string, unknown> }).data

/** Another notification with these fields, and an id of its own. */
const madeUp = (from: Notification, type: string, data: object): Notification => ({
  id: from.id.replace(/^.{8}/, '0badc0de'),
  type,
  body: JSON.stringify({ type, timestamp: new Date(0).toISOString(), data }),
})

/** Correct in form, but nobody's secret. */
const foreignSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const paid = 'payment.paid'
const tenMinutes = 600

/** Answers that a handler may give while it still works on the same event; the service sends it again. */
const mayBeBusy = new Set([409, 425, 429, 503])

/** Acknowledges what was played, and credits it with this amount. */
const expectSettled = async (probe: IntegrationProbe, played: PlayedPayment, amount = played.amount) => {
  await probe.expectAck(played)
  await probe.expectCredited(played, amount)
}

type Plays = readonly [SimulatedEvent, ...kinds: string[]]
const usual: Plays = ['paid', paid]

type Definition = {
  readonly title: string
  /** Default: `notifications#what-you-receive`. */
  readonly page?: string
  /** What is played first, and the notifications to wait for. Default: a payment that is paid. */
  readonly plays?: Plays
  /** `event` is the last notification that was waited for. */
  readonly run: (probe: IntegrationProbe, played: PlayedPayment, event: Notification) => Promise<void>
}

const checks: Readonly<Record<string, Definition>> = {
  paid: {
    title: 'accepts a paid payment, answers quickly and acknowledges it',
    run: async (probe, played, event) => {
      await probe.expectTaken(paid, event)
      await expectSettled(probe, played)
    },
  },
  duplicates: {
    title: 'answers 2xx to a repeated event, and credits it once',
    run: async (probe, played, event) => {
      await probe.expectTaken(paid, event)
      await probe.expectTaken('the same again', event)
      await probe.expectAck(played)
      await probe.expectTaken('the same again, after its ack', event)
      await probe.expectCredited(played, played.amount)
    },
  },
  parallel: {
    title: 'credits once if an event comes several times at the same moment',
    run: async (probe, played, event) => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => probe.send(event)))
      for (const answer of answers)
        if (!mayBeBusy.has(answer.status ?? 0)) probe.noteTaken(`${paid}, one of six at the same moment`, answer)
      await probe.expectTaken('the same afterwards', event)
      await expectSettled(probe, played)
    },
  },
  retry: {
    title: 'accepts an event again after its first call broke off',
    page: 'notifications#when-a-call-fails',
    run: async (probe, first) => {
      for (const part of ['half', 'whole'] as const) {
        const played = part === 'half' ? first : await probe.play('paid', paid)
        const event = ofKind(played, paid)
        await probe.hangUp(event, part)
        const lost = part === 'half' ? 'half of its body had arrived' : 'its answer was lost'
        await probe.expectTaken(`${paid}, again after ${lost}`, event)
        await expectSettled(probe, played)
      }
    },
  },
  'out-of-order': {
    title: 'does not go back if an older event comes after a newer one',
    plays: ['late', 'payment.expired', paid],
    run: async (probe, played, event) => {
      await probe.expectTaken(`${paid}, the newer one first`, event)
      await probe.expectAck(played)
      await probe.expectTaken('payment.expired, with a lower sequence', ofKind(played, 'payment.expired'))
      await probe.expectCredited(played, played.amount)
    },
  },
  late: {
    title: 'credits money that comes after the payment has expired',
    page: 'odd-money',
    plays: ['late', 'payment.expired', paid],
    run: async (probe, played, event) => {
      await probe.expectTaken('payment.expired', ofKind(played, 'payment.expired'))
      await probe.expectTaken(`${paid} of the same order, later`, event)
      await expectSettled(probe, played)
    },
  },
  'disput-paid': {
    title: 'credits the final amount of disput-paid, and acknowledges it',
    page: 'odd-money',
    plays: ['overpaid', 'payment.disput-paid'],
    run: async (probe, played, event) => {
      const { amount, finalAmount } = dataOf(event)
      await probe.expectTaken(`${event.type} with finalAmount ${String(finalAmount)} of ${String(amount)}`, event)
      await expectSettled(probe, played, Number(finalAmount))
    },
  },
  corrected: {
    title: 'follows the final amount if a credit is corrected, and acknowledges it again',
    page: 'odd-money#corrected-afterwards',
    run: async (probe, credited, event) => {
      const kind = 'payment.disput-paid'
      await probe.expectTaken(paid, event)
      await expectSettled(probe, credited)
      // Played only now: a handler that reads the payment would see the correction at once.
      const corrected = await probe.correct(credited, Math.ceil(credited.amount / 2), kind)
      const { finalAmount } = dataOf(ofKind(corrected, kind))
      await probe.expectTaken('payment.disput, while it is corrected', ofKind(corrected, 'payment.disput'))
      await probe.expectTaken(`${kind} with finalAmount ${String(finalAmount)}`, ofKind(corrected, kind))
      await expectSettled(probe, corrected, Number(finalAmount))
    },
  },
  reversed: {
    title: 'accepts a reversal, which has the sequence of its credit',
    page: 'odd-money',
    plays: ['reversed', paid, 'payment.reversed'],
    run: async (probe, played, event) => {
      await probe.expectTaken(paid, ofKind(played, paid))
      await probe.expectAck(played)
      await probe.expectTaken('payment.reversed', event)
    },
  },
  redelivered: {
    title: 'accepts a redelivery of everything that has happened, and changes nothing',
    plays: ['late', 'payment.expired', paid],
    run: async (probe, played) => {
      for (const event of played.notifications) await probe.expectTaken(event.type, event)
      await probe.expectAck(played)
      await sleep(100)
      for (const event of played.notifications) await probe.expectTaken(`${event.type}, redelivered`, event)
      await probe.expectCredited(played, played.amount)
    },
  },
  'unknown-type': {
    title: 'answers 2xx to kinds and fields that it does not know',
    page: 'versions',
    run: async (probe, played, event) => {
      const data = dataOf(event)
      const unknown = madeUp(event, 'payment.of-tomorrow', { ...data, status: 'of-tomorrow' })
      await probe.expectTaken('the kind payment.of-tomorrow', unknown)
      await probe.expectTaken('endpoint.test, which is about no payment', {
        ...madeUp(event, 'endpoint.test', { endpointId: event.id }),
        id: event.id.replace(/^.{8}/, '0badc0d1'),
      })
      const { type, timestamp } = JSON.parse(event.body) as { type: string; timestamp: string }
      const more = { ...event, body: JSON.stringify({ type, timestamp, data: { ...data, ofTomorrow: {} } }) }
      await probe.expectTaken(`${paid} with a new field`, more)
      await probe.expectAck(played)
    },
  },
  'bad-signature': {
    title: 'refuses calls that the service has not signed',
    page: 'notifications#verify',
    plays: ['expired', 'payment.expired'],
    run: async (probe, unpaid, expired) => {
      const data = { ...dataOf(expired), sequence: 3, status: 'paid', statusReason: 'exact' }
      const forged = madeUp(expired, paid, data)
      const says = `${paid} of a payment that nobody has paid`
      await probe.expectRefused(`${says}, signed with another secret`, forged, { secret: foreignSecret })
      await probe.expectRefused(`${says}, without a signature`, forged, { headers: { 'webhook-signature': undefined } })
      await probe.expectRefused(`${says}, with an empty signature`, forged, { headers: { 'webhook-signature': 'v1,' } })
      const genuine = probe.headersOf(expired)
      await probe.expectRefused(`${says}, with the signature of payment.expired`, forged, { headers: genuine })
      await probe.expectCredited(unpaid, 0)
      const played = await probe.play('paid', paid)
      const event = ofKind(played, paid)
      await probe.expectRefused(`${paid}, signed with another secret`, event, { secret: foreignSecret })
      await probe.expectTaken(`the same, signed with the right one`, event)
      await expectSettled(probe, played)
    },
  },
  'old-timestamp': {
    title: 'refuses a signed call whose time is more than five minutes off',
    page: 'notifications#verify',
    run: async (probe, played, event) => {
      await probe.expectRefused(`${paid}, signed ten minutes ago`, event, { secondsOff: -tenMinutes })
      await probe.expectRefused(`${paid}, signed ten minutes from now`, event, { secondsOff: tenMinutes })
      await probe.expectTaken(`${paid}, signed four minutes ago`, event, { secondsOff: -240 })
      await probe.expectAck(played)
    },
  },
  'two-signatures': {
    title: 'accepts a call signed with two secrets, one of them its own',
    page: 'notifications#verify',
    run: async (probe, played, event) => {
      const other = `v1,${Buffer.alloc(32, 2).toString('base64')}`
      const headers = probe.headersOf(event)
      const both = { ...headers, 'webhook-signature': `${other} ${headers['webhook-signature']}` }
      await probe.expectTaken(`${paid} while the secret is being replaced`, event, { headers: both })
      await probe.expectAck(played)
    },
  },
}

export const integrationChecks = Object.entries(checks).map(
  ([name, { title, page = 'notifications#what-you-receive', plays = usual, run }]): IntegrationCheck => ({
    name,
    title,
    page,
    run: async (probe) => {
      const played = await probe.play(...plays)
      await run(probe, played, ofKind(played, plays.at(-1) ?? paid))
    },
  }),
)
