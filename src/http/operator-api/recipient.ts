import type { TSchema } from 'typebox'
import { type Static, Type } from '../../operations/schema.ts'
import { shownName } from '../../rules/requisites/recipient.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import { revealRecipient } from '../../engine/requisites/sealed-requisites.ts'
import { updateRecipient } from '../../engine/requisites/update-requisite.ts'
import type { Vault } from '../../secrets/vault.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { IdParams, wire } from '../../operations/fields.ts'
import { routesForOperators } from '../routes.ts'

const digits = (length: number, examples: readonly string[], description: string) =>
  Type.Pattern(`must be ${length} digits.`, { pattern: `^[0-9]{${length}}$`, examples, description })

const fields = {
  givenName: Type.Printable(100, {
    description: 'Given name, with the patronymic if payers should see it; requires `familyName`.',
    examples: ['Анна'],
  }),
  familyName: Type.Printable(100, {
    description: 'Family name; payers see its first letter.',
    examples: ['Петрова'],
  }),
  shownAs: Type.Printable(100, {
    description: 'What payers see instead of the shortened name, as the bank shows it to them.',
    examples: ['Анна Сергеевна П.'],
  }),
  inn: Type.Pattern('must be 10 or 12 digits.', {
    pattern: '^([0-9]{10}|[0-9]{12})$',
    description:
      'Taxpayer number in Russia, with valid check digits; only for `account-to-account` in roubles, as are all fields below.',
    examples: ['1234567894'],
  }),
  kpp: Type.Pattern('must be nine characters, such as 770001001.', {
    pattern: '^[0-9]{4}[0-9A-Z]{2}[0-9]{3}$',
    description: 'For an organisation, besides its INN.',
    examples: ['770001001'],
  }),
  bic: digits(9, ['044500123'], "Of the branch that keeps the account. Default: the bank issuer's."),
  correspondentAccount: digits(20, ['30101810800000000123'], 'Of the branch; requires `bic`.'),
  purpose: Type.Printable(200, {
    description:
      "Text of the transfer; `{order}` is replaced by the merchant's order. Default: payment for the order, in the payer's language.",
    examples: ['Оплата по счёту {order}, без НДС'],
  }),
}

/** Schema of what is known about a recipient. */
export const RecipientFields = Type.Partial(Type.Object(fields), {
  additionalProperties: false,
  description: 'What banks and payers see about the recipient.',
  examples: [{ shownAs: 'Анна Сергеевна П.' }],
})

type KnownRecipient = Static<typeof RecipientFields>

/** Fields of a response about a requisite that say who gets the money. */
export const recipientFields = {
  shownName: Type.Text('The name that payers see.', 'Анна П.'),
  recipient: Type.Optional(RecipientFields),
}

/** The wire form of who gets the money of a requisite. */
export const toRecipientFields = (
  vault: Vault,
  requisite: Requisite,
): { shownName: string; recipient?: KnownRecipient } => {
  const recipient = revealRecipient(vault, requisite)
  const known: KnownRecipient = wire.fields(recipient)
  return {
    shownName: shownName({ holder: requisite.holder, recipient }),
    ...(Object.keys(known).length > 0 && { recipient: known }),
  }
}

/** The recipient of a requisite. */
export const recipientRoutes = routesForOperators()

/** Schema of the legal owner of an account. */
export const Holder = Type.Printable(200, {
  description: 'Full name of the legal owner, as the bank has it. Payers see it whole for `account-to-account` only.',
  examples: ['Петрова Анна Сергеевна'],
})

const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.OrNull(schema))

const Change = Type.Exact(
  {
    holder: Type.Optional(Holder),
    givenName: orNull(fields.givenName),
    familyName: orNull(fields.familyName),
    shownAs: orNull(fields.shownAs),
    inn: orNull(fields.inn),
    kpp: orNull(fields.kpp),
    bic: orNull(fields.bic),
    correspondentAccount: orNull(fields.correspondentAccount),
    purpose: orNull(fields.purpose),
  },
  { minProperties: 1, examples: [{ inn: '1234567894', kpp: '770001001' }, { shownAs: null }] },
)

const RecipientAnswer = Type.Object({ holder: Type.String(), ...recipientFields })

export type RecipientAnswer = Static<typeof RecipientAnswer>

recipientRoutes.patch('/requisites/:id/recipient', 'configure', {
  id: 'updateRecipient',
  summary: 'Change who gets the money of a requisite, as banks and payers see it',
  description:
    'Only the fields that you send change; `null` removes a field. Payers of open payments see changes immediately.',
  params: IdParams,
  body: Change,
  answer: RecipientAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const after = await actOnBehalf(context, request, (tx) => updateRecipient(tx, id, request.body), {
      action: 'requisite.recipient',
      subject: `requisite:${id}`,
      // Names and tax numbers are personal: the audit records only which of them changed.
      details: { fields: Object.keys(request.body) },
    })
    return { holder: after.holder, ...toRecipientFields(context.vault, after) }
  },
})
