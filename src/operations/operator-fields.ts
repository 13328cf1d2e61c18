import type { RefusalCode } from '../rules/refusal.ts'
import type { Instant } from '../rules/time.ts'
import { type FieldKind, inColumns, presented } from './field.ts'
import { Id, Time } from './fields.ts'
import type { NamedKind } from './named.ts'
import { type Static, Type } from './schema.ts'

/** Schema of the operator's own reference. Sent again, it names the same thing, which is done only once. */
export const Reference = Type.Printable(128, {
  description: 'Your own reference. If you send it again, it names the same thing, and nothing happens twice.',
  examples: ['2026-01-31/1'],
})

/** Schema of why an operator does something. */
export const Reason = Type.Printable(500, { description: 'Why.', examples: ['Agreed by phone'] })

/** Schema of how operators know a requisite. */
export const AccountName = presented(
  Type.Object(
    {
      label: Type.Optional(Type.String({ examples: ['Main account'] })),
      method: Type.String({ examples: ['sbp'] }),
      bankIssuer: Type.String({ examples: ['sberbank'] }),
      number: Type.Text('Masked.', '•••• 4821'),
    },
    { title: 'AccountName', description: 'How operators know the requisite.' },
  ),
  { kind: 'account' },
)

/** Fields of responses about what belongs to a merchant; `nameAnswer` adds the name. */
export const ofMerchant = {
  merchantId: presented(Id, { of: 'merchant' }),
  merchantName: Type.Optional(Type.Text('Name of the merchant.', 'Demo Shop')),
}

/** The same for what may belong to no merchant in particular; `description` and `absent` say what that means. */
export const ofAnyMerchant = (description?: string, absent?: string) => ({
  ...ofMerchant,
  merchantId: Type.Optional(presented(ofMerchant.merchantId, { ...(absent !== undefined && { absent }) }), description),
})

/** Fields of responses about what belongs to a requisite; `nameAnswer` adds how it is known. */
export const ofRequisite = {
  requisiteId: presented(Id, { of: 'requisite', shownAs: 'requisite' }),
  requisite: Type.Optional(AccountName),
}

/** Schema of the order of a payment in a response with the payment's id; `nameAnswer` adds it. */
export const OrderOf = Type.Optional(Type.Text('Order of the payment.', 'order-1001'))

/** Schema of the id of something that people name. */
export const idOf = (kind: NamedKind) => presented(Id, { of: kind })

/** Schema of who did something. */
export const Person = presented(Type.String({ examples: ['operator:anna'] }), { kind: 'person' })

/** Path parameters of what belongs to a merchant. */
export const MerchantAndId = Type.Object({ merchantId: idOf('merchant'), id: Id })

/** Path parameters of what belongs to a requisite. */
export const RequisiteAndId = Type.Object({ requisiteId: idOf('requisite'), id: Id })

/** Fields of responses about a posting; `nameAnswer` adds them if an account belongs to a merchant or requisite. */
export const accountNames = {
  debitName: Type.Optional(Type.Text('The debited account with the name of its merchant or requisite.')),
  creditName: Type.Optional(Type.Text('The credited account with the name of its merchant or requisite.')),
}

/** Body of a request that writes a note. */
export const NoteBody = { text: Type.Printable(1000, 'The note.') }

/** Schema of the notes about something. */
export const Notes = inColumns(
  Type.Array(Type.Object({ text: Type.String(), by: presented(Type.String(), { kind: 'person' }), at: Time }), {
    description: 'What operators wrote about it, oldest first.',
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
    Type.Array(Type.Object({ of: presented(Type.String(), { heading, kind }), ...LedgerEffect.items.properties })),
    ['of', 'kind', 'amount', 'debit', 'credit'],
  ),
})

/** Schema of what a decision would write. */
export const LedgerPreview = Type.Titled('LedgerPreview', {
  entries: { ...LedgerEffect, description: 'The ledger entries that the decision would write, in order.' },
})
export type LedgerPreview = Static<typeof LedgerPreview>

/** The codes with which numbers in a body are refused. */
export const amountRefusals = ['amount_above_max', 'amount_precision'] as const satisfies readonly RefusalCode[]
