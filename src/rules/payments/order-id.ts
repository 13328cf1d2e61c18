/** Most characters (code points) of an `orderId`. */
export const maxOrderIdLength = 128

/**
 * Pattern (with the `u` flag) of the characters of an `orderId`: no control, format, private, unassigned or lone
 * surrogate characters, which people cannot distinguish.
 */
export const orderIdPattern = '^[^\\p{C}\\p{Zl}\\p{Zp}]+$'

const printable = new RegExp(orderIdPattern, 'u')

/** Whether a text is well-formed and has only printable characters. */
export const isPrintable = (value: string): boolean => printable.test(value)

/**
 * Whether a text, as a segment of a path, makes the address lead elsewhere, even when percent-encoded (RFC 3986,
 * 5.2.4).
 */
export const isDotSegment = (value: string): boolean => value === '.' || value === '..'

/** Whether a text may be an orderId: 1–128 well-formed printable characters, not `.` or `..` (docs/domain.md §3.2). */
export const isOrderId = (value: string): boolean =>
  isPrintable(value) && [...value].length <= maxOrderIdLength && !isDotSegment(value)
