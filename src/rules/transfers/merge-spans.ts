import type { Instant } from '../time.ts'

type Span = {
  readonly requisiteId: string
  readonly amount: bigint
  readonly channel: string
  /** If what it has reported itself is left out. */
  readonly source?: string
  readonly since: Instant
  readonly until: Instant
}

/**
 * Spans of time in which money of an amount is looked for. Those of one requisite, amount, channel and source that
 * overlap become one, so that what many have paid at near times is read once.
 */
export const mergeSpans = <Of extends Span>(spans: readonly Of[]): Of[] =>
  [
    ...Map.groupBy(spans, ({ requisiteId, amount, channel, source = '' }) =>
      [requisiteId, amount, channel, source].join('\n'),
    ).values(),
  ].flatMap((alike) => {
    const merged: Of[] = []
    for (const each of alike.toSorted((one, other) => one.since - other.since)) {
      const last = merged.at(-1)
      if (last === undefined || each.since > last.until) merged.push(each)
      else merged[merged.length - 1] = { ...last, until: Math.max(last.until, each.until) }
    }
    return merged
  })
