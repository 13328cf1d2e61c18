import type { RequisiteRefusal } from '../../../../src/rules/requisites/requisite.ts'
import type { PeriodLimit } from '../../../../src/rules/requisites/requisite.ts'
import type { HealthAnswer } from '../../../../src/operations/requisite-health.ts'
import type { Tone } from '../../parts/status-badge.tsx'
import { personName } from '../../parts/field-values.tsx'
import { formatTime } from '../../time.ts'
import { zoneText } from '../../parts/zone-text.ts'

/** The limits that a day or a month uses up, in words. */
const limitWords: Readonly<Record<PeriodLimit, string>> = {
  dayAmount: 'sum of the day',
  dayCount: 'payments of the day',
  monthAmount: 'sum of the month',
  monthCount: 'payments of the month',
}

/** Why a requisite is not chosen, as a sentence. */
export const refusalWords: Readonly<Record<RequisiteRefusal, string>> = {
  'not-active': 'It is paused or retired.',
  'other-merchant': 'It belongs to another merchant.',
  shared: 'It is shared, and the merchant uses only its own.',
  'other-mode': 'It serves the other mode, live or sandbox.',
  'other-method': 'It has another method.',
  'other-currency': 'It is in another currency.',
  'other-scope': 'It accepts transfers of another scope.',
  'other-bank': 'It is at another bank than the payer asks for.',
  'amount-too-small': 'The amount is below its smallest transfer.',
  'amount-too-large': 'The amount is above its largest transfer.',
  'outside-working-hours': 'It is not allocated at this time of day.',
  'day-limit': 'Its daily limit would be exceeded.',
  'month-limit': 'Its monthly limit would be exceeded.',
  'open-payments-limit': 'It has as many open payments as it may have.',
  'slot-taken': 'Another payment of exactly this amount is waiting on it.',
  'fair-share': 'The merchant holds the amount on its share of the shared ones: it is left to the others.',
}

/** What a requisite is called: its label, else its bank and last digits. */
export const nameOf = ({ label, bankIssuer, number }: Pick<HealthAnswer, 'label' | 'bankIssuer' | 'number'>): string =>
  label ?? `${bankIssuer} ${number}`

/** The number of consecutive failures from which they are mentioned. */
const notableRun = 3

/** What is wrong with a requisite or will be soon, the worst first. */
export const healthReasons = (row: HealthAnswer, now: number): readonly string[] => {
  const { pause, creditingHeld, proposedZone: zone, expiredRun, unmatchedRun, nextLimit, lastDay, status } = row
  if (status === 'retired') return []
  const cause = pause?.cause === 'expired' ? 'payments expired' : 'transfers had no payment'
  const isUsedUp = nextLimit !== undefined && Date.parse(nextLimit.at) <= now
  return [
    ...(creditingHeld === undefined ? [] : [`Money on it waits for a person: ${creditingHeld.reason}`]),
    ...(zone === undefined
      ? []
      : [`Its time zone waits: ${personName(zone.by)} proposes ${zoneText(zone.utcOffsetMinutes)}`]),
    ...(pause === undefined ? [] : [`Paused automatically: ${pause.run} ${cause} in a row`]),
    ...(nextLimit === undefined
      ? []
      : [
          isUsedUp
            ? `The ${limitWords[nextLimit.limit]} is used up`
            : `Reaches its ${limitWords[nextLimit.limit]} at ${formatTime(Date.parse(nextLimit.at), now)}`,
        ]),
    ...(pause === undefined && expiredRun >= notableRun ? [`${expiredRun} payments expired in a row`] : []),
    ...(pause === undefined && unmatchedRun >= notableRun
      ? [`${unmatchedRun} senders without a payment in a row`]
      : []),
    ...(lastDay.successRate !== undefined && lastDay.successRate < 0.5
      ? [`Only ${Math.round(lastDay.successRate * 100)} % paid in 24 hours`]
      : []),
  ]
}

/** The colour of a requisite's state. */
export const toneOf = ({ status }: Pick<HealthAnswer, 'status'>): Tone =>
  status === 'active' ? 'good' : status === 'paused' ? 'wait' : 'over'

/** Share of payments that were paid, in words. */
export const rateText = ({ paid, expired, successRate }: HealthAnswer['lastDay']): string =>
  successRate === undefined ? '–' : `${Math.round(successRate * 100)} % of ${paid + expired}`
