import { type Static, Type } from 'typebox'
import { Currency, Id, PrintableText } from '../fields.ts'

/** Schema of the operator's own reference of something: sent again, it names the same thing, which is done once. */
export const Reference = PrintableText(128, {
  description: 'Your own reference. Sent again, it names the same thing, and nothing happens twice.',
  examples: ['2026-01-31/1'],
})

/** Schema of why an operator does something. */
export const Reason = PrintableText(500, { examples: ['Agreed by phone'] })

/** Schema of how operators know a requisite. */
export const AccountName = Type.Object(
  {
    label: Type.Optional(Type.String({ examples: ['Main account'] })),
    method: Type.String({ examples: ['sbp'] }),
    bankIssuer: Type.String({ examples: ['sberbank'] }),
    number: Type.String({ description: 'Masked.', examples: ['•••• 4821'] }),
  },
  { title: 'AccountName', description: 'How operators know the requisite.' },
)

/** How operators know a requisite. */
export type AccountName = Static<typeof AccountName>

/** Fields of answers about what belongs to a merchant; `nameAnswer` gives the name. */
export const ofMerchant = {
  merchantId: Id,
  merchantName: Type.Optional(Type.String({ description: 'Name of the merchant.', examples: ['Demo Shop'] })),
}

/** The same, where it may belong to all merchants: `description` says what it means if there is none. */
export const ofAnyMerchant = (description?: string) => ({
  ...ofMerchant,
  merchantId: Type.Optional(description === undefined ? Id : { ...Id, description }),
})

/** Fields of answers about what belongs to a requisite; `nameAnswer` gives how it is known. */
export const ofRequisite = { requisiteId: Id, requisite: Type.Optional(AccountName) }

/** Schema of the order of a payment that has its id; `nameAnswer` gives it. */
export const OrderOf = Type.Optional(Type.String({ description: 'Order of the payment.', examples: ['order-1001'] }))

/** Path parameters of what belongs to a merchant. */
export const MerchantAndId = Type.Object({ merchantId: Id, id: Id })

/** Path parameters of what belongs to a requisite. */
export const RequisiteAndId = Type.Object({ requisiteId: Id, id: Id })

/** Schema of why an operator decides about money that came in. */
export const Why = PrintableText(500, { description: 'Why.' })

/** Path parameter of the operations on one currency. */
export const CurrencyParams = Type.Object({ currency: Currency })

/** Fields of answers about a posting; `nameAnswer` gives them where an account is that of a merchant or requisite. */
export const accountNames = {
  debitName: Type.Optional(
    Type.String({ description: 'The debited account with the name of its merchant or requisite.' }),
  ),
  creditName: Type.Optional(Type.String({ description: 'The credited account, likewise.' })),
}
