import { presented } from '../../operations/schema.ts'
import { finalUntil } from '../../rules/money/ledger.ts'
import { refuseField } from '../../rules/refusal.ts'
import { type Instant } from '../../rules/time.ts'
import { earliestTime, readTime, Time, wire } from '../../operations/fields.ts'

/** Query of a span of time, up to but not including its end. */
export const SpanQuery = {
  'from?': presented(Time, 'Start of the span, inclusive. Default: the beginning.'),
  'to?': presented(Time, 'End of the span, exclusive. Default and latest: two minutes ago.'),
}

export const untilHeader = 'payin-until'

/** Response header schema of exports. */
export const untilHeaders = {
  [untilHeader]: {
    description: 'The actual end of the span: `to`, or two minutes ago if that is earlier.',
    schema: { type: 'string', format: 'date-time', examples: ['2026-01-31T12:30:00.000Z'] },
  },
}

/**
 * The span of postings that a query asks for. Default: all. It ends no later than postings are final, see `finalUntil`.
 * Refuses `validation_failed` if it is empty.
 */
export const readSpan = (
  query: { readonly from?: string; readonly to?: string },
  now: Instant,
): { readonly from: Instant; readonly to: Instant } => {
  const final = finalUntil(now)
  const from = query.from === undefined ? earliestTime : readTime(query.from, 'from')
  const to = query.to === undefined ? undefined : readTime(query.to, 'to')
  if (to !== undefined && from >= to) throw refuseField('from', 'must be before to.')
  if (from >= final) {
    const message = `must be before ${wire.time(final)}: what was posted since then is not final yet.`
    throw refuseField('from', message)
  }
  return { from, to: Math.min(to ?? final, final) }
}
