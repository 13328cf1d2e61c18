import type { Instant } from '../time.ts'

/** Whether a text is an id of the service in its only form: whole and in lower case. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/**
 * A text that somebody typed to find something, and the ids that it may abbreviate: those between two bounds with an
 * ending.
 */
export type TypedName = {
  readonly typed: string
  readonly least: string
  readonly greatest: string
  readonly ending: string
}

/** Two bounds with no id between them. */
const nothing = {
  least: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  greatest: '00000000-0000-0000-0000-000000000000',
  ending: '',
}

/** Digits of the time at which an id was created: with fewer, an ending would be searched for in too many ids. */
const timeDigits = 12

const toUuid = (digits: string): string => digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/**
 * Reads what somebody typed to find something. An id may be shortened to its beginning of at least 6 digits, such as
 * `019a9c3e`, or to beginning and end, such as `019a9c3e-7d5e..3c6a10`; any other text matches no ids.
 */
export const readTypedName = (typed: string): TypedName => {
  const [, beginning = '', ending = ''] = /^([0-9a-f-]{6,36})(?:(?:\.\.|…)([0-9a-f]{1,12}))?$/i.exec(typed) ?? []
  const digits = beginning.replaceAll('-', '').toLowerCase()
  if (digits.length < (ending === '' ? 6 : timeDigits) || digits.length > 32) return { typed, ...nothing }
  return {
    typed,
    least: toUuid(digits.padEnd(32, '0')),
    greatest: toUuid(digits.padEnd(32, 'f')),
    ending: ending.toLowerCase(),
  }
}

/** Whether an id is in a span. */
export const isInSpan = (id: string, { least, greatest, ending }: TypedName): boolean =>
  least <= id && id <= greatest && id.endsWith(ending)

/** The smallest identifier (UUID version 7) that can be created at a time, for searches by time along a primary key. */
export const leastIdAt = (at: Instant): string => {
  const hex = Math.max(0, at).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}

/** When an identifier (UUID version 7) was created. */
export const instantOfId = (id: string): Instant => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
