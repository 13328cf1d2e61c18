import { refuseField } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'

const earliest = Date.UTC(2000, 0, 1)

/** The span of time that a query asks for, by default all up to and including `now`. Refuses `validation_failed` when it is empty. */
export const readSpan = (
  query: { readonly from?: string; readonly to?: string },
  now: Instant,
): { readonly from: Instant; readonly to: Instant } => {
  const read = (text: string | undefined, field: string, otherwise: Instant): Instant => {
    const value = text === undefined ? otherwise : Date.parse(text)
    if (value >= earliest) return value
    throw refuseField('validation_failed', field, 'is not a time since the year 2000.')
  }
  const from = read(query.from, 'from', earliest)
  const to = read(query.to, 'to', now + 1)
  if (from >= to) throw refuseField('validation_failed', 'from', 'must be before to.')
  return { from, to }
}
