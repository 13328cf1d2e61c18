import { type Static, type TSchema, Type } from 'typebox'
import { limitAmounts, type RequisiteLimits } from '../../domain/requisite.ts'
import { Titled, wireAmount } from '../fields.ts'
import type { BodyReader } from '../read-body.ts'

const orNull = <T extends TSchema>(schema: T, description: string) => Type.Union([schema, Type.Null()], { description })
const money = (description: string) => orNull(Type.Number({ minimum: 0 }), `${description}; \`null\` for no limit.`)
const count = (description: string) =>
  orNull(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), `${description}; \`null\` for no limit.`)

const WorkingMinutes = Type.Unsafe<[number, number]>({
  type: 'array',
  items: { type: 'integer', minimum: 0, maximum: 1440 },
  minItems: 2,
  maxItems: 2,
  examples: [[540, 1260]],
})

/** Schema of a requisite's limits; amounts are in its currency. */
export const Limits = Titled('RequisiteLimits', {
  minAmount: money('Smallest transfer'),
  maxAmount: money('Largest transfer'),
  dayAmount: money('Sum of a day'),
  dayCount: count('Payments of a day'),
  monthAmount: money('Sum of a month'),
  monthCount: count('Payments of a month'),
  openPayments: count('Payments that are open at a time'),
  workingMinutes: orNull(WorkingMinutes, 'Minutes of the day in which it is allocated; `null` for the whole day.'),
  pauseAfter: orNull(
    Type.Integer({ minimum: 1, maximum: 100 }),
    'Number of expired payments in a row (while others of its kind are paid), or of unmatched transfers in a row, after which it is paused automatically; `null` for never.',
  ),
  utcOffsetMinutes: Type.Integer({
    minimum: -720,
    maximum: 840,
    description: 'Offset of its time zone from UTC.',
    examples: [180],
  }),
})

/** Schema of the limits that a request sets. */
export const WantedLimits = Type.Partial(Limits, { additionalProperties: false })

/** Limits of a request in minor units; `field` is their name in it. */
export const readLimits = (
  read: BodyReader,
  wanted: Static<typeof WantedLimits>,
  currency: string,
  field: string,
): Partial<RequisiteLimits> => {
  const amounts = limitAmounts.flatMap((name) =>
    typeof wanted[name] === 'number' ? [[name, read.amount(wanted, name, currency, `${field}.${name}`)] as const] : [],
  )
  return { ...wanted, ...Object.fromEntries(amounts) } as Partial<RequisiteLimits>
}

/** The wire form of a requisite's limits. */
export const toLimits = (limits: RequisiteLimits, currency: string): Static<typeof Limits> => {
  const amount = (minor: bigint | null): number | null => (minor === null ? null : wireAmount(minor, currency))
  return {
    ...limits,
    minAmount: amount(limits.minAmount),
    maxAmount: amount(limits.maxAmount),
    dayAmount: amount(limits.dayAmount),
    monthAmount: amount(limits.monthAmount),
    workingMinutes: limits.workingMinutes === null ? null : [...limits.workingMinutes],
  }
}
