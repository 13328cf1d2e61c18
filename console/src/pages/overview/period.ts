import type { PaymentSummaryAnswer } from '../../../../src/operations/payment-summary.ts'
import { dayStart } from '../../table/within.ts'
import { dayAndMonth, hourAndMinute } from '../../time.ts'
import { language, timeLanguage } from '../../language.ts'

type Totals = PaymentSummaryAnswer['total']

/** The periods of the overview, as the filter `within` of lists names them, and how many days each has. */
export const periods = { '1d': 1, '7d': 7, '30d': 30 } as const
export type Period = keyof typeof periods

const hourMs = 60 * 60 * 1000
const dateWithDay = new Intl.DateTimeFormat(timeLanguage, { weekday: 'short', day: 'numeric', month: 'short' })

/** When a period begins: at a whole hour, even if local midnight is not a whole hour in UTC. */
export const periodStart = (period: Period): string => {
  const start = dayStart(periods[period] - 1).getTime()
  return new Date(start - (start % hourMs)).toISOString()
}

/** An hour of today, or a day of a longer period, with the outcomes of the payments that were created in it. */
export type Step = Pick<Totals, 'created' | 'paid' | 'expired'> & {
  readonly name: string
  readonly title: string
  readonly at: number
  /** Money that was credited, by currency; for a chart only, because digits may be lost. */
  readonly credited: ReadonlyMap<string, number>
}

const startsOf = (period: Period): Date[] => {
  const days = periods[period]
  if (days > 1) return Array.from({ length: days }, (_, index) => dayStart(days - 1 - index))
  const [from, until] = [dayStart(0).getTime(), dayStart(-1).getTime()]
  return Array.from({ length: Math.round((until - from) / hourMs) }, (_, index) => new Date(from + index * hourMs))
}

/** The hours of a response, added up to the steps of a period. */
export const stepsOf = (hours: PaymentSummaryAnswer['hours'], period: Period): Step[] => {
  const starts = startsOf(period)
  const isHourly = period === '1d'
  return starts.map((start, index) => {
    const [from, until] = [start.getTime(), starts[index + 1]?.getTime() ?? Infinity]
    const own = hours.filter(({ at }) => {
      const instant = Date.parse(at)
      return (instant >= from || index === 0) && instant < until
    })
    const credited = new Map<string, number>()
    for (const { currency, amount } of own.flatMap((hour) => hour.credited))
      credited.set(currency, (credited.get(currency) ?? 0) + Number(amount))
    const sum = (count: (hour: (typeof own)[number]) => number) => own.reduce((total, hour) => total + count(hour), 0)
    return {
      name: (isHourly ? hourAndMinute : dayAndMonth).format(start),
      at: from,
      title: isHourly ? `From ${hourAndMinute.format(start)}` : dateWithDay.format(start),
      ...{ created: sum((hour) => hour.created), paid: sum((hour) => hour.paid), expired: sum((hour) => hour.expired) },
      credited,
    }
  })
}

/** A share in percent, with one decimal if it is not whole: `83.3 %`. */
export const percent = (share: number | undefined): string =>
  share === undefined ? '–' : `${(share * 100).toLocaleString(language, { maximumFractionDigits: 1 })} %`

/** A span of time in its largest two units: `4 min 12 s`. */
export const spanText = (ms: number): string => {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
