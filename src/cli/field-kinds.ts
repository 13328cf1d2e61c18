import type { AccountName, FieldKind } from '../operations/schema.ts'
import type { Field } from '../operations/field.ts'
import { formatMinuteOfDay, printSpan } from '../rules/time.ts'
import { describeEvidence } from '../rules/transfers/evidence-words.ts'
import { type Cell, printAccount, printDetails, printMinor, printPairs, printQuote, printTime } from './print-table.ts'
import {
  digits,
  exactNumber,
  hours as hoursOfDay,
  hoursInZone,
  minorUnits,
  pairs,
  percent,
  phone,
  quoteMicro,
  readDocument,
  readTyped,
  span,
  time,
  timeOrSpan,
  wholeNumber,
  yesOrNo,
} from './read-arguments.ts'
import { resolveId } from './resolve-name.ts'
import { say } from './say.ts'
import type { Session } from './session.ts'

/** What a terminal does with values of a kind. */
type Kind = {
  /** The word for a value in the help. Default: the last word of the option. */
  readonly word?: string
  /** How it is typed, after what the help says of the field. */
  readonly hint?: string
  /** Default: as typed. */
  readonly read?: (typed: string, field: Field) => unknown
  /** For values that need the service, a file or standard input. */
  readonly resolve?: (session: Session, read: never) => Promise<unknown>
  /** How a table marks the column, see `Columns`. */
  readonly mark?: '~' | '>' | '#'
  /** Default: as it is. */
  readonly print?: (value: never) => Cell
}

/** Who did something, as operators know each other: `anna` for `operator:anna`. */
export const printPerson = (actor: string): string =>
  actor.startsWith('operator:') ? actor.slice('operator:'.length) : say(actor)

type Hours = readonly [number, number] | { readonly from: number; readonly to: number; readonly zone: string }

const printHours = (hours: Hours): string => {
  const [from, to, zone = ''] = 'zone' in hours ? [hours.from, hours.to, ` ${hours.zone}`] : hours
  return `${formatMinuteOfDay(from)}-${formatMinuteOfDay(to)}${zone}`
}

export const kinds: Readonly<Record<FieldKind, Kind>> = {
  account: { mark: '~', print: (value: AccountName) => printAccount(value) },
  bytes: { mark: '>', print: (bytes: number) => `${(bytes / 1_000_000).toFixed(0)} MB` },
  deadline: {
    word: 'time',
    hint: '; a time, or a span such as 24h',
    read: timeOrSpan,
    resolve: async (session, read: unknown) =>
      typeof read === 'number' ? new Date(Date.parse(await session.now()) + read).toISOString() : read,
    print: printTime,
  },
  digits: { word: 'number', read: digits },
  document: {
    word: 'path',
    hint: '; as a JSON file',
    resolve: async ({ surroundings }, path: string) => JSON.parse(await readDocument(surroundings, path)) as unknown,
    mark: '~',
    print: printDetails,
  },
  evidence: { mark: '~', print: describeEvidence },
  flag: { word: 'yes|no', read: yesOrNo, print: (value: boolean) => say(value ? 'yes' : 'no') },
  group: { mark: '~', print: printDetails },
  hours: {
    word: 'hours',
    hint: ', such as 09:00-21:00',
    read: (typed, { fields }) => (fields === undefined ? hoursOfDay(typed) : hoursInZone(typed)),
    print: printHours,
  },
  id: { word: 'id', mark: '#' },
  'ledger-account': {
    word: 'account',
    mark: '~',
    // `bank:Main account` names a requisite.
    resolve: async (session, typed: string) =>
      typed.startsWith('bank:') ? `bank:${await resolveId(session, 'requisite', typed.slice('bank:'.length))}` : typed,
  },
  minor: {
    word: 'amount',
    hint: '; with two decimals, such as 1.00',
    read: minorUnits,
    mark: '>',
    print: printMinor,
  },
  number: {
    word: 'amount',
    read: exactNumber,
    mark: '>',
  },
  pairs: { word: 'pairs', hint: ', such as group=b,term=spring', read: pairs, mark: '~', print: printPairs },
  percent: { word: 'percent', read: percent, mark: '>', print: (millionths: number) => `${millionths / 10_000} %` },
  person: { print: printPerson },
  phone: { word: 'number', read: phone },
  quote: {
    word: 'amount',
    read: quoteMicro,
    mark: '>',
    print: printQuote,
  },
  rows: { mark: '~', print: printDetails },
  secret: {
    hint: '; - reads it from standard input, which leaves no trace in the history of the shell',
    resolve: ({ surroundings }, typed: string) => readTyped(surroundings, typed),
  },
  span: { word: 'span', read: span, mark: '>', print: printSpan },
  text: { mark: '~' },
  threshold: {
    word: 'value',
    hint: '; a span such as 30m, or percent such as 80%',
    read: (typed) => (/^\d{1,3} ?%$/.test(typed) ? Number.parseInt(typed, 10) : span(typed)),
  },
  time: { word: 'time', read: time, print: printTime },
  whole: {
    word: 'number',
    read: (typed) => exactNumber(String(wholeNumber(typed)), { mayBeNegative: true }),
    mark: '>',
  },
  word: {},
}
