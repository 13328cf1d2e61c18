const numberPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** A longer JSON number literal is refused before any arithmetic. */
const maxLiteralLength = 64
const maxExponent = 40

/**
 * Reads a JSON number literal as an exact integer of `decimals` places: `parseDecimal('1e2', 2)` is `10000n`. Returns
 * `precision` if it has more places than that, `range` if it is too long or has more than 15 digits.
 */
export const parseDecimal = (literal: string, decimals: number): bigint | 'precision' | 'range' => {
  const match = numberPattern.exec(literal)
  if (!match || literal.length > maxLiteralLength) return 'range'
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const power = Number(exponent)
  const digits = whole + fraction
  if (/^0*$/.test(digits)) return 0n
  if (Math.abs(power) > maxExponent) return power > 0 ? 'range' : 'precision'
  const shift = decimals + power - fraction.length
  const dropped = shift < 0 ? digits.slice(shift) : ''
  if (shift < 0 && (!/^0*$/.test(dropped) || -shift >= digits.length)) return 'precision'
  const kept = shift < 0 ? digits.slice(0, shift) : digits + '0'.repeat(shift)
  const value = BigInt(kept)
  if (value > maxMinor) return 'range'
  return sign === '-' ? -value : value
}

/**
 * A decimal text rounded to `decimals` places if it is less than a millionth off, as sums of binary floating-point
 * numbers are: `166.00000000000003` is `166.00`. Any other text is returned as it is.
 */
export const withoutNoise = (text: string, decimals: number): string => {
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)(\d{1,15})\.(\d{7,30})$/.exec(text) ?? []
  if (fraction === '') return text
  const unit = 10n ** BigInt(fraction.length - decimals)
  const exact = BigInt(whole + fraction)
  const rounded = (exact + unit / 2n) / unit
  const isNoise = distanceOf(exact, rounded * unit) * 1_000_000n < 10n ** BigInt(fraction.length)
  return isNoise ? `${sign}${formatDecimal(rounded, decimals)}` : text
}

/** Largest amount in minor units: with at most 15 digits every amount survives as a double unchanged. */
export const maxMinor = 999_999_999_999_999n

/**
 * Plain decimal text of an integer of `decimals` places, without grouping: `formatDecimal(500037n, 2)` is `5000.37`.
 */
export const formatDecimal = (value: bigint, decimals: number): string => {
  const negative = value < 0n
  const digits = (negative ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = decimals > 0 ? `.${digits.slice(-decimals)}` : ''
  return `${negative ? '-' : ''}${whole}${fraction}`
}

/** How far two amounts are from each other. */
export const distanceOf = (one: bigint, other: bigint): bigint => (one < other ? other - one : one - other)
