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

/** Whether a merchant's order identifier is 1–128 well-formed printable characters (docs/domain.md §3.2). */
export const isOrderId = (value: string): boolean => isPrintable(value) && [...value].length <= maxOrderIdLength
