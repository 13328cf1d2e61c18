import type { TProperties } from 'typebox'
import { aboutIds, type NamedKind } from './named.ts'
import { type FieldKind, type Forms, inColumns, presented, Type, type Static } from './schema.ts'
import { amountDigits, currencyDecimals, toJsonNumber } from '../rules/values/currency.ts'
import { maxOrderIdLength } from '../rules/payments/order-id.ts'
import { scopedMethods, transferScopes } from '../rules/values/payment-method.ts'
import { paymentStatuses } from '../rules/payments/payment.ts'
import { priceDecimals } from '../rules/money/rate.ts'
import { refuseField, type RefusalCode } from '../rules/refusal.ts'
import { formatInstant, type Instant } from '../rules/time.ts'

/** Values in a description, as code: `` `sbp`, `by-phone` ``. */
export const asCode = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ')

export const TransferScope = Type.OneOf(transferScopes, `Required with, and only with, ${asCode(scopedMethods)}.`)

// Special characters of RFC 5322 are refused: they would turn one address into a comment, a group or several addresses.
const addressPart = '[^\\s\\p{C}()<>@,;:\\\\"[\\]]'

export const EmailAddress = Type.Pattern('must be an e-mail address.', {
  pattern: `^${addressPart}{1,64}@${addressPart}{1,190}$`,
  examples: ['help@shop.example.com'],
})

export const Time = Type.String({
  title: 'Time',
  description: 'A time in UTC.',
  format: 'date-time',
  examples: ['2026-01-31T12:30:00.000Z'],
})

export const BookedOn = Type.Text(
  "The booking day in the account's zone, if the bank reported no time; `bookedAt` is then its last moment.",
  '2026-01-31',
)

type Booked = { readonly bookedAt: string; readonly bookedOn?: string }

/** The column with the time of a booking, or the day if the bank reported no time. */
export const bookedColumn = {
  heading: 'Booked',
  show: ({ bookedAt, bookedOn }: Booked, { time }: Forms) => bookedOn ?? time(bookedAt),
  kind: 'time',
} as const

/** Schema of a day; like times, from the year 2000 on. */
export const Day = Type.Pattern('must be a day of the years 2000 to 9999, such as 2026-01-31.', {
  pattern: '^[2-9][0-9]{3}-[0-9]{2}-[0-9]{2}$',
  examples: ['2026-01-31'],
})

/** A point in time in the form of `Time`; `null` stays `null`. */
const wireTime = <At extends Instant | null>(at: At) =>
  (at === null ? null : formatInstant(at)) as At extends null ? null : string

/** The earliest time accepted: nothing that matters here happened before, and the database cannot read the year 0. */
export const earliestTime = Date.UTC(2000, 0, 1)

/** From here on years have five digits, which the database cannot read; a time of 9999 may reach them by its zone. */
const endOfTimes = Date.UTC(10_000, 0, 1)

/** Why `parseTime` does not accept a time, for refusals. */
export const outsideTimes = 'is not a time of the years 2000 to 9999.'

/** The instant of a text that `Time` has validated; `undefined` before `earliestTime` and after the year 9999. */
export const parseTime = (text: string): Instant | undefined => {
  const value = Date.parse(text)
  return value >= earliestTime && value < endOfTimes ? value : undefined
}

/** The instant of a parameter that `Time` has validated. Refuses `validation_failed`. */
export const readTime = (text: string, field: string): Instant => {
  const value = parseTime(text)
  if (value === undefined) throw refuseField(field, outsideTimes)
  return value
}

export const PaymentStatus = Type.OneOf(paymentStatuses, {
  title: 'PaymentStatus',
  description: 'Payment status. Treat a status that you do not know as "not decided yet": keep polling.',
  examples: ['new'],
  tones: {
    ...{ new: 'live', processing: 'live', paid: 'good', 'disput-paid': 'good', disput: 'bad' },
    ...{ expired: 'over', canceled: 'over', failed: 'bad' },
  },
})

export const BankCode = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$', examples: ['sberbank'], kind: 'word' })

export const Price = Type.Number({
  exclusiveMinimum: 0,
  description: 'Price of 1 USDT, at most 8 decimals.',
  examples: [92.5],
})

/** Schema of a body that may be left out. */
export const OptionalBody = <Fields extends TProperties>(fields: Fields) => Type.OrNull(Type.Exact(fields))

export const NoBody = OptionalBody({})

/** Schema of an id of the service. The length keeps out the form `urn:uuid:…`, which the database cannot read. */
export const Id = Type.String({
  title: 'Id',
  format: 'uuid',
  maxLength: 36,
  description: aboutIds,
  examples: ['019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'],
})

/** Schema of an orderId: 1–128 well-formed printable characters. */
export const OrderId = Type.Printable(maxOrderIdLength, {
  title: 'OrderId',
  description: "The merchant's own identifier of the order, compared byte for byte.",
  examples: ['order-1001'],
})

/** Schema of a userId, which has the form of an orderId. */
export const UserId = Type.Printable(maxOrderIdLength, {
  description: "The merchant's own identifier of its user.",
  examples: ['user-17'],
})

export const Currency = Type.Pattern('must be a currency code of three small letters, such as rub.', {
  title: 'Currency',
  pattern: '^[a-z]{3}$',
  description: 'Currency code in small letters, such as `rub`.',
  examples: ['rub'],
  kind: 'word',
})

/** Schema of a currency in which merchants may be credited. */
export const QuoteCurrency = (description: string) =>
  Type.Pattern('must be USDT or a currency code of three small letters, such as rub.', {
    pattern: '^([a-z]{3}|USDT)$',
    description,
    examples: ['USDT'],
    kind: 'word',
  })

export const PositiveAmount = Type.Number({
  exclusiveMinimum: 0,
  description: 'Exact amount in the currency.',
  examples: [5000.37],
})

export const Amount = Type.Number({ examples: [5000.37] })

/** JSON number of an amount in minor units of its currency; `null` stays `null`. */
const wireAmount = <Minor extends bigint | null>(minor: Minor, currency: string) =>
  (minor === null ? null : toJsonNumber(minor, currencyDecimals(currency))) as Minor extends null ? null : number

const wirePrice = (price: bigint): number => toJsonNumber(price, priceDecimals)

/** A sum of many amounts, which may have more digits than a JSON number keeps. */
export const ExactSum = presented(Type.Text('Exact decimal text.', '-53.513514'), { kind: 'number' })

export const wire = {
  time: wireTime,
  amount: wireAmount,
  price: wirePrice,
  sum: amountDigits,
} as const

/** Schema of the operator's own reference. Sent again, it names the same thing, which is done only once. */
export const Reference = Type.Printable(128, {
  description: 'Your own reference. If you send it again, it names the same thing, and nothing happens twice.',
  examples: ['2026-01-31/1'],
})

export const Reason = Type.Printable(500, { description: 'Why.', examples: ['Agreed by phone'] })

export const AccountName = Type.Object(
  {
    'label?': Type.String({ examples: ['Main account'] }),
    method: Type.String({ examples: ['sbp'] }),
    bankIssuer: Type.String({ examples: ['sberbank'] }),
    number: Type.Text('Masked.', '•••• 4821'),
  },
  { title: 'AccountName', description: 'How operators know the requisite.', kind: 'account' },
)

/** Fields of responses about what belongs to a merchant; `nameAnswer` adds the name. */
export const ofMerchant = {
  merchantId: presented(Id, { of: 'merchant' }),
  'merchantName?': Type.Text('Name of the merchant.', 'Demo Shop'),
}

/** The same for what may belong to no merchant in particular; `description` and `absent` say what that means. */
export const ofAnyMerchant = (description: string = aboutIds, absent?: string) => ({
  'merchantId?': presented(ofMerchant.merchantId, { description, ...(absent !== undefined && { absent }) }),
  'merchantName?': ofMerchant['merchantName?'],
})

/** Fields of responses about what belongs to a requisite; `nameAnswer` adds how it is known. */
export const ofRequisite = {
  requisiteId: presented(Id, { of: 'requisite', shownAs: 'requisite' }),
  'requisite?': AccountName,
}

/** Schema of the order of a payment in a response with the payment's id; `nameAnswer` adds it. */
export const OrderOf = Type.Text('Order of the payment.', 'order-1001')

/** Schema of the id of something that people name. */
export const idOf = (kind: NamedKind) => presented(Id, { of: kind })

export const Person = Type.String({ examples: ['operator:anna'], kind: 'person' })

export const MerchantAndId = Type.Object({ merchantId: idOf('merchant'), id: Id })

export const RequisiteAndId = Type.Object({ requisiteId: idOf('requisite'), id: Id })

/** Fields of responses about a posting; `nameAnswer` adds them if an account belongs to a merchant or requisite. */
export const accountNames = {
  'debitName?': Type.Text('The debited account with the name of its merchant or requisite.'),
  'creditName?': Type.Text('The credited account with the name of its merchant or requisite.'),
}

export const NoteBody = { text: Type.Printable(1000, 'The note.') }

export const Notes = inColumns(
  Type.Rows('What operators wrote about it, oldest first.', {
    text: Type.String(),
    by: Type.String({ kind: 'person' }),
    at: Time,
  }),
  ['at', 'by', 'text'],
)
export type Notes = Static<typeof Notes>

/** The wire form of notes. */
export const toNotes = (
  notes: readonly { readonly text: string; readonly writtenBy: string; readonly writtenAt: Instant }[],
) => notes.map(({ text, writtenBy: by, writtenAt: at }) => ({ text, by, at }))

/** Schema of the ledger entries that a decision would write. */
export const LedgerEffect = Type.Array(
  Type.Object({
    kind: Type.String({ examples: ['receive'] }),
    debit: Type.String({ examples: ['suspense'] }),
    credit: Type.String({ examples: ['fx:rub'] }),
    currency: Type.String(),
    amount: Type.Number(),
    ...accountNames,
  }),
)

/** Ledger entries of decisions about several things in one table: `of` is what each is about. */
export const entriesOf = (heading: string, kind: FieldKind) => ({
  entries: inColumns(
    Type.Array(Type.Object({ of: Type.String({ heading, kind }), ...LedgerEffect.items.properties })),
    ['of', 'kind', 'amount', 'debit', 'credit'],
  ),
})

export const LedgerPreview = Type.Titled('LedgerPreview', {
  entries: { ...LedgerEffect, description: 'The ledger entries that the decision would write, in order.' },
})
export type LedgerPreview = Static<typeof LedgerPreview>

/** What of a source, phone or template waits for an approval; `secret` is what it signs with. */
export const unapproved = (kind: ApprovedKind, secret: 'key' | 'secret' | null, about: string) =>
  Type.Exact(
    {
      by: Type.Text('The operator.', 'operator:anna'),
      version: Type.Text(
        `What is approved: it changes with the ${kind}${secret === null ? '' : ` and its ${secret}`}.`,
        '3f9a2b70c41d58e6b0dd7f2415a9c3e86f20d4817be95a3c02e6f91d58b7a410',
      ),
    },
    { description: about, heading: 'Waits for approval' },
  )

type ApprovedKind = 'source' | 'phone' | 'template'

type Unapproved = {
  readonly id: string
  readonly name: string
  readonly unapproved?: { readonly by: string; readonly version: string }
}

/** Something that an approval approves. */
export type Approved = { readonly name: string; readonly says: string }

/** A text of somebody else without line breaks, so that no part of it looks like a line of ours. */
export const onOneLine = (text: string): string => text.replace(/\s+/g, ' ')

/** The commands that approve what waits in a list, to be copied, each with all that it approves. */
export const howToApprove = <Row extends Unapproved>(
  list: `${ApprovedKind}s`,
  rows: readonly Row[],
  person: (actor: string) => string,
  approvedOf: (row: Row) => readonly Approved[],
): string | undefined =>
  rows
    .flatMap((row) => {
      const { id, name, unapproved: waits } = row
      if (!waits) return []
      // A name may have been chosen to be something else in a shell.
      const command = `payin ${list} approve ${id} ${waits.version}`
      const lines = approvedOf(row).map((each) => `  ${each.name}: ${onOneLine(each.says)}`)
      return [`Waits for another operator than ${person(waits.by)} (${name}): ${command}`, ...lines]
    })
    .join('\n') || undefined

/** The body of an approval. */
export const seenVersion = (kind: ApprovedKind) => ({
  version: Type.Text(
    `Version of the ${kind} as you have seen it (\`unapproved.version\`); if it is another by now, this is refused.`,
  ),
})

/** The codes with which numbers in a body are refused. */
export const amountRefusals = ['amount_above_max', 'amount_precision'] as const satisfies readonly RefusalCode[]
