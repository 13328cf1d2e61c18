/** A point in time: milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

// Rows that are written together share their times: a busy process formats each of them a dozen times.
const formatted = new Map<Instant, string>()
const maxFormatted = 64

/** ISO 8601 in UTC with milliseconds and `Z`. */
export const formatInstant = (instant: Instant): string => {
  const known = formatted.get(instant)
  if (known !== undefined) return known
  if (formatted.size >= maxFormatted) formatted.clear()
  const text = new Date(instant).toISOString()
  formatted.set(instant, text)
  return text
}
