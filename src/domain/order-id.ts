/** Most characters (code points) of an `orderId`. */
export const maxOrderIdLength = 128

/**
 * Pattern (with the `u` flag) of the characters of an `orderId`: not control, format, private, unassigned or lone
 * surrogate ones, which a person who reads them cannot tell apart.
 */
export const orderIdPattern = '^[^\\p{C}\\p{Zl}\\p{Zp}]+$'

const printable = new RegExp(orderIdPattern, 'u')

/** Whether a text is well-formed and has printable characters only. */
export const isPrintable = (value: string): boolean => printable.test(value)

/** Whether an address with a text as a part of its path leads elsewhere, also when the text is percent-encoded (RFC 3986, 5.2.4). */
export const isDotSegment = (value: string): boolean => value === '.' || value === '..'

/** Whether a merchant may call an order so: 1–128 well-formed printable characters, but not `.` or `..` (docs/domain.md §3.2). */
export const isOrderId = (value: string): boolean =>
  isPrintable(value) && [...value].length <= maxOrderIdLength && !isDotSegment(value)
