import type { FieldKind } from '../../../src/operations/schema.ts'
import type { ReactNode } from 'react'
import type { Field } from '../../../src/operations/field.ts'
import { formatMinuteOfDay } from '../../../src/rules/time.ts'
import { requisiteName } from '../api/requisites.ts'
import { formatSpan } from '../span.ts'
import type { Room } from '../table/fit-columns.ts'
import { CopyText } from './copy-text.tsx'
import { Moment } from './moment.tsx'
import { MoneyText } from './money-text.tsx'
import { Badge } from './status-badge.tsx'
import { say, sayWord } from '../language.ts'
import { formatNumber } from '../money.ts'

/** Those who do something without being a person. */
const nobodies: ReadonlySet<string> = new Set(['bank', 'merchant', 'payer', 'service'])

/** Who did something, as operators know each other: `anna` for `operator:anna`. */
export const personName = (actor = ''): string => (nobodies.has(actor) ? say(actor) : actor.replaceAll('operator:', ''))

type Hours = readonly [number, number] | { readonly from: number; readonly to: number; readonly zone: string }

const hoursText = (hours: Hours): string => {
  const [from, to, zone = ''] = 'zone' in hours ? [hours.from, hours.to, ` ${hours.zone}`] : hours
  return `${formatMinuteOfDay(from)}–${formatMinuteOfDay(to)}${zone}`
}

type Kind = Room & { readonly align?: 'end'; readonly show: (value: never, field: Field) => ReactNode }

const text: Kind = {
  width: 110,
  grows: 1,
  show: (value: string | number | boolean | object) =>
    typeof value === 'object' ? JSON.stringify(value) : String(value),
}

/** How many there are. */
const counted: Kind = { width: 64, align: 'end', show: ({ length }: readonly unknown[]) => length }

/** How the console shows values, and how much room they need; the others are texts. */
const kinds: Partial<Readonly<Record<FieldKind, Kind>>> = {
  account: { width: 130, grows: 1, show: requisiteName },
  flag: { width: 64, show: (value: boolean) => say(value ? 'yes' : 'no') },
  group: { width: 130, grows: 1, show: (value: object) => <span className="quiet">{JSON.stringify(value)}</span> },
  hours: { width: 120, show: hoursText },
  id: { width: 110, show: (id: string) => <CopyText text={id} /> },
  number: { width: 80, align: 'end', show: (value: number) => <span className="figures">{value}</span> },
  percent: { width: 80, align: 'end', show: (millionths: number) => `${formatNumber(millionths / 10_000)} %` },
  person: { width: 100, show: personName },
  rows: counted,
  span: { width: 84, align: 'end', show: formatSpan },
  time: { width: 112, show: (at: string) => <Moment at={at} /> },
  whole: { width: 72, align: 'end', show: (value: number) => <span className="figures">{value}</span> },
  word: {
    width: 104,
    show: (word: string, { tones, choices }) => {
      const said = sayWord(word, choices)
      return tones ? <Badge tone={tones[word] ?? 'over'}>{said}</Badge> : said
    },
  },
}

/** How the console shows a field. */
export const kindOf = ({ kind, isSeveral }: Field): Kind => {
  const one = kinds[kind] ?? text
  if (!isSeveral || kind === 'rows') return one
  if (kind === 'id') return counted
  // What there may be several of is shown as text.
  const show = (values: readonly never[], field: Field): string =>
    values.map((each) => one.show(each, field) as string).join(', ')
  return { width: 120, grows: 1, show }
}

/** A row, whatever its fields. */
export type AnyRow = Readonly<Record<string, unknown>>

/** What the console shows of a field, within a table or outside. */
export const showField = (field: Field, fields: readonly Field[], row: AnyRow): ReactNode => {
  const { name, currency, absent } = field
  const shownAs = fields.find((each) => each.name === field.shownAs)
  const value = (shownAs && row[shownAs.name]) ?? row[name]
  if (value === undefined || value === null || value === '')
    return absent === undefined ? undefined : <span className="quiet">{say(absent)}</span>
  if (currency !== undefined)
    return <MoneyText amount={value as number} currency={(row[currency] as string | undefined) ?? currency} inColumn />
  const shown = shownAs !== undefined && row[shownAs.name] !== undefined ? shownAs : field
  return kindOf(shown).show(value as never, shown)
}
