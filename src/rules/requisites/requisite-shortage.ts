import { Refusal } from '../refusal.ts'
import { showAmount } from '../values/currency.ts'
import type { Requisite, RequisiteRefusal, RequisiteWish } from './requisite.ts'
import { formatInstant, type Instant, minute, minuteOfDay, periodEnds, second } from '../time.ts'

/** Why no requisite is free: what keeps most of those of the payment's kind from it, or that there is no such requisite. */
export const shortageReasons = [
  'slot-taken',
  'fair-share',
  'outside-working-hours',
  'day-limit',
  'month-limit',
  'open-payments-limit',
  'amount-too-small',
  'amount-too-large',
  'no-account',
] as const
type ShortageReason = (typeof shortageReasons)[number]
type Cause = Exclude<ShortageReason, 'no-account'>

/** Why a payment gets no requisite, in words for the merchant, and when one is free as far as is known. */
export type Shortage = { readonly reason: ShortageReason; readonly message: string; readonly freeAt: Instant | null }

/** A requisite that is not free, and when it is again, as far as is known. */
export type Unavailable = { readonly refused: RequisiteRefusal; readonly freeAt: Instant | null }

/** What keeps one requisite, and several, from a payment. */
const words: Readonly<Record<Cause, (wish: RequisiteWish) => readonly [one: string, many: string]>> = {
  'slot-taken': ({ amount, currency }) => {
    const payment = `a payment of exactly ${showAmount(amount, currency)}`
    return [`already holds ${payment}`, `already hold ${payment}`]
  },
  'fair-share': () => {
    const others = 'left to other merchants, because you already hold this amount on your share'
    return [`is ${others}`, `are ${others}`]
  },
  'outside-working-hours': () => ['is outside its working hours', 'are outside their working hours'],
  'day-limit': () => ['has reached its limit of the day', 'have reached their limits of the day'],
  'month-limit': () => ['has reached its limit of the month', 'have reached their limits of the month'],
  'open-payments-limit': () => [
    'has all the open payments that it may have',
    'have all the open payments that they may have',
  ],
  'amount-too-small': () => ['takes only larger amounts', 'take only larger amounts'],
  'amount-too-large': () => ['takes only smaller amounts', 'take only smaller amounts'],
}

const isCause = (refused: RequisiteRefusal): refused is Cause => refused in words

const nextWorkingAt = ({ limits }: Requisite, now: Instant): Instant | null => {
  const [from, to] = limits.workingMinutes ?? [0, 0]
  if (from === to) return null
  const untilThen = (from - minuteOfDay(now, limits.utcOffsetMinutes) + 24 * 60) % (24 * 60)
  return (Math.floor(now / minute) + untilThen) * minute
}

/** When the cause for which a requisite is refused is expected to end; `null` if nobody knows. */
export const freeAgainAt = (
  requisite: Requisite,
  refused: RequisiteRefusal,
  now: Instant,
  slotEndsAt: Instant | null,
): Instant | null => {
  const { day, month } = periodEnds(now, requisite.limits.utcOffsetMinutes)
  switch (refused) {
    case 'slot-taken':
    case 'fair-share':
      return slotEndsAt
    case 'outside-working-hours':
      return nextWorkingAt(requisite, now)
    case 'day-limit':
      return day
    case 'month-limit':
      return month
    default:
      return null
  }
}

/** Explains why none of the requisites of a payment's kind is free for it. Names neither requisites nor merchants. */
export const describeShortage = (wish: RequisiteWish, unavailable: readonly Unavailable[]): Shortage => {
  const causes = unavailable.flatMap(({ refused }) => (isCause(refused) ? [refused] : []))
  const counted = [...Map.groupBy(causes, (cause) => cause)]
    .map(([cause, { length }]) => ({ cause, length }))
    .toSorted((a, b) => b.length - a.length || shortageReasons.indexOf(a.cause) - shortageReasons.indexOf(b.cause))
  const [first] = counted
  if (!first) {
    const bank = wish.bankIssuer === null ? '' : ` at the bank ${wish.bankIssuer}`
    const message = `There is no receiving account for ${wish.method} in ${wish.currency}${bank} at the moment.`
    return { reason: 'no-account', message, freeAt: null }
  }
  const say = (cause: Cause, count: number): string => words[cause](wish)[count === 1 ? 0 : 1]
  const all =
    causes.length === 1 ? 'The only receiving account that fits' : `All ${causes.length} receiving accounts that fit`
  const cause =
    counted.length === 1
      ? `${all} ${say(first.cause, causes.length)}.`
      : `Of the ${causes.length} receiving accounts that fit, ${counted.map((each) => `${each.length} ${say(each.cause, each.length)}`).join(', ')}.`
  const ends = unavailable.flatMap(({ freeAt }) => freeAt ?? [])
  const freeAt = ends.length === 0 ? null : Math.min(...ends)
  const message = freeAt === null ? cause : `${cause} One is expected to be free at ${formatInstant(freeAt)}.`
  return { reason: first.cause, message, freeAt }
}

/** The shortage that is over: another payment had taken the requisite and has closed since. */
export const freeMeanwhile = (now: Instant): Shortage => ({
  reason: 'slot-taken',
  message: 'A receiving account has become free just now; send the request again.',
  freeAt: now,
})

/** The refusal when no requisite is free: why, and when one is. */
export const noRequisite = ({ reason, message, freeAt }: Shortage, now: Instant): Refusal =>
  new Refusal('requisites_unavailable', message, {
    ...(freeAt === null ? {} : { retryAfterSeconds: Math.max(1, Math.ceil((freeAt - now) / second)) }),
    extra: { reason },
  })
