import { Type } from 'typebox'
import { finalUntil } from '../domain/ledger.ts'
import { refuseField } from '../domain/refusal.ts'
import { formatInstant, type Instant } from '../domain/time.ts'
import { Time } from './fields.ts'

const earliest = Date.UTC(2000, 0, 1)

/** Query of a span of time, up to but not including its end. */
export const SpanQuery = {
  from: Type.Optional({ ...Time, description: 'Start of the span, inclusive. Default: the beginning.' }),
  to: Type.Optional({
    ...Time,
    description: 'End of the span, exclusive. Default and latest: two minutes ago.',
  }),
}

/** Name of the header that says where an exported span ends. */
export const untilHeader = 'payin-until'

/** Header of exports: where the span really ends. */
export const untilHeaders = {
  [untilHeader]: {
    type: 'string',
    description: 'Where the span really ends: `to`, or two minutes ago where that is earlier.',
  },
}

/**
 * The span of postings that a query asks for, by default all; it ends where they are final, see `finalUntil`, or before.
 * Refuses `validation_failed` when it is empty.
 */
export const readSpan = (
  query: { readonly from?: string; readonly to?: string },
  now: Instant,
): { readonly from: Instant; readonly to: Instant } => {
  const read = (text: string, field: string): Instant => {
    const value = Date.parse(text)
    if (value >= earliest) return value
    throw refuseField('validation_failed', field, 'is not a time since the year 2000.')
  }
  const final = finalUntil(now)
  const from = query.from === undefined ? earliest : read(query.from, 'from')
  const asked = query.to === undefined ? undefined : read(query.to, 'to')
  if (asked !== undefined && from >= asked) throw refuseField('validation_failed', 'from', 'must be before to.')
  if (from >= final) {
    const message = `must be before ${formatInstant(final)}: what was posted since then is not final yet.`
    throw refuseField('validation_failed', 'from', message)
  }
  return { from, to: Math.min(asked ?? final, final) }
}
