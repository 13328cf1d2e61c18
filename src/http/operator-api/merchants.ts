import { type Static, Type } from '../../operations/schema.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { type Merchant, merchantModes, merchantStatuses } from '../../rules/merchants/merchant.ts'
import { paymentMethods } from '../../rules/values/payment-method.ts'
import { refuseField } from '../../rules/refusal.ts'
import { createMerchant, maxLogoBytes, setLogo, updateMerchant } from '../../engine/merchants/merchant.ts'
import { getProfile, merchantDirectory } from '../../engine/merchants/merchant-directory.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { EmailAddress, Id, IdParams, Time, wire } from '../../operations/fields.ts'
import { routesForOperators } from '../routes.ts'
import { TermsAnswer } from '../../operations/terms.ts'
import { toTermsAnswer } from './terms.ts'
import { IssuedAnswer, TokenName } from '../../operations/tokens.ts'
import { issueUsual, toIssued, withoutToken } from './tokens.ts'

// No user before the host: `https://shop.example@evil.example` reads like a page of the shop.
const HttpsLink = (example: string) =>
  Type.Pattern('must be a link by https.', {
    pattern: '^https://[^\\s\\p{C}@/?#\\\\]{1,253}([/?#][^\\s\\p{C}]*)?$',
    maxLength: 500,
    examples: [example],
  })

const Name = Type.Printable(200, { examples: ['Demo Shop'] })

const Host = Type.String({ maxLength: 259, pattern: '^[a-z0-9.-]+(:[0-9]{1,5})?$', examples: ['shop.example.com'] })

const settings = {
  returnHosts: Type.Array(Host, {
    maxItems: 100,
    description: 'Hosts that `returnUrl` may name, with the port unless it is the default.',
  }),
  frameHosts: Type.Array(Host, {
    maxItems: 20,
    description: "Hosts whose pages (https) may show the payer's page in a frame.",
  }),
  accent: Type.OrNull(
    Type.String({ pattern: '^#[0-9a-fA-F]{6}$', examples: ['#1a56c4'] }),
    "Colour of buttons on the payer's page, with black or white text; links use its nearest readable shade.",
  ),
  supportEmail: Type.OrNull(
    EmailAddress,
    "E-mail address of the merchant's support, for payers whose payment went wrong.",
  ),
  supportPhone: Type.OrNull(
    Type.Pattern('must be a phone number with its country code, such as +78005553535.', {
      pattern: '^\\+[1-9][0-9]{6,14}$',
      examples: ['+78005553535'],
    }),
    'Phone of the support.',
  ),
  supportLink: Type.OrNull(HttpsLink('https://shop.example.com/help'), 'Page of the support.'),
  supportMessenger: Type.OrNull(HttpsLink('https://t.me/demo_shop'), 'Link to a chat with the support.'),
  maxOpenPayments: Type.OrNull(
    Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
    'Most payments in `new` or `processing` at the same time; default: 10000; `null` for no limit.',
  ),
  maxHeldPerUser: Type.OrNull(
    Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    'Most amounts that unpaid payments of one `userId` hold on accounts, canceled and expired ones included; default: 10; `null` for no limit.',
  ),
  maxDebt: Type.OrNull(
    Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
    'Largest debt in USDT (a balance below zero, as after banks took credits back) with which it may create payments; default: `null`, no limit.',
  ),
  ownRequisitesOnly: Type.Flag('Its payers pay only to its own requisites, not to shared ones.'),
}

const Settings = Type.Partial(Type.Object(settings), {
  title: 'SettingsChange',
  additionalProperties: false,
  examples: [{ returnHosts: ['shop.example.com'], accent: '#1a56c4' }],
})

const MerchantAnswer = Type.Titled('Merchant', {
  id: Id,
  name: Type.String(),
  mode: Type.OneOf(merchantModes),
  status: Type.OneOf(merchantStatuses),
  settings: Type.Object(settings, { title: 'MerchantSettings' }),
  createdAt: Time,
})

export type MerchantAnswer = Static<typeof MerchantAnswer>

const CreatedAnswer = Type.Object({
  ...MerchantAnswer.properties,
  issued: Type.Optional(IssuedAnswer, 'Its first token, if one was requested.'),
})

/** A new merchant, and its first token if one was requested. */
export type CreatedAnswer = Static<typeof CreatedAnswer>

const ProfileAnswer = Type.Titled('MerchantProfile', {
  ...MerchantAnswer.properties,
  limits: Type.Array(Type.Object({ currency: Type.String(), min: Type.Number(), max: Type.Number() }), {
    description: "Limits in force for a payment's amount.",
  }),
  terms: Type.Record(Type.String(), TermsAnswer, { description: 'Terms in force, by method.' }),
})

/** A merchant with its limits and terms. */
export type ProfileAnswer = Static<typeof ProfileAnswer>

const toAnswer = ({ settings: { returnHosts, frameHosts, ...others }, ...merchant }: Merchant): MerchantAnswer => ({
  ...merchant,
  settings: { returnHosts: [...returnHosts], frameHosts: [...frameHosts], ...others },
  createdAt: wire.time(merchant.createdAt),
})

/** Merchants and their logos. */
export const merchantRoutes = routesForOperators()

merchantRoutes.post('/merchants', 'configure', {
  id: 'createMerchant',
  summary: 'Create a merchant',
  description:
    'With `tokenName`, also creates its first token, which is in this response only: both are created, or neither.',
  body: Type.Exact(
    {
      name: Name,
      mode: Type.OneOf(merchantModes),
      settings: Type.Optional(Settings),
      tokenName: Type.Optional(TokenName),
    },
    { examples: [{ name: 'Demo Shop', mode: 'sandbox' }] },
  ),
  status: 201,
  answer: CreatedAnswer,
  handle: async (context, request) => {
    const { tokenName, settings: given = {}, ...rest } = request.body
    const wanted = { ...rest, settings: given }
    const create = async (tx: Tx) => {
      const merchant = await createMerchant(tx, wanted)
      if (tokenName === undefined) return { merchant, issued: undefined }
      const token = { merchantId: merchant.id, name: tokenName, allowList: [], expiresAt: null }
      return { merchant, issued: await issueUsual(tx, token) }
    }
    const { merchant, issued } = await actOnBehalf(context, request, create, {
      action: 'merchant.create',
      subject: (created) => `merchant:${created.merchant.id}`,
      details: wanted,
      also: ({ issued: made }) =>
        made === undefined ? [] : [{ action: 'token.issue', subject: `token:${made.id}`, details: withoutToken(made) }],
    })
    return { ...toAnswer(merchant), ...(issued === undefined ? {} : { issued: toIssued(issued) }) }
  },
})

merchantRoutes.patch('/merchants/:id', 'configure', {
  id: 'updateMerchant',
  summary: "Change a merchant's name, status or settings",
  description: 'Omitted fields do not change.',
  params: IdParams,
  body: Type.Exact(
    {
      name: Type.Optional(Name),
      status: Type.Optional(
        Type.OneOf(merchantStatuses, 'Requests of a suspended merchant are refused with `merchant_suspended`.'),
      ),
      settings: Type.Optional(Settings),
    },
    { minProperties: 1 },
  ),
  answer: MerchantAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const { after } = await actOnBehalf(context, request, (tx) => updateMerchant(tx, id, request.body), {
      action: 'merchant.update',
      subject: `merchant:${id}`,
      details: (changed) => changed,
    })
    return toAnswer(after)
  },
})

const MerchantFilterQuery = {
  name: Type.Optional(Type.Printable(200, 'Only those whose names contain this text, in upper or lower case.')),
  mode: Type.Optional(Type.OneOf(merchantModes, 'Only those for real money, or for simulated money.')),
  status: Type.Optional(Type.OneOf(merchantStatuses, 'Only those with this status.')),
}

type MerchantFilterQuery = Static<ReturnType<typeof Type.Object<typeof MerchantFilterQuery>>>

const pickMerchants = async (context: Context, { name = '', mode, status }: MerchantFilterQuery): Promise<Merchant[]> =>
  (await context.catalog.get(merchantDirectory))
    .values()
    .map(({ merchant }) => merchant)
    .filter((each) => each.name.toLowerCase().includes(name.toLowerCase()))
    .filter((each) => (mode ?? each.mode) === each.mode && (status ?? each.status) === each.status)
    .toArray()

merchantRoutes.get('/merchants', 'read', {
  id: 'listMerchants',
  summary: 'List merchants',
  description: 'With their status and settings.',
  query: MerchantFilterQuery,
  answer: { merchants: Type.Array(MerchantAnswer) },
  exports: 'merchants',
  handle: async (context, { query }) => ({ merchants: (await pickMerchants(context, query)).map(toAnswer) }),
})

merchantRoutes.get('/merchants/:id', 'read', {
  id: 'getMerchant',
  summary: 'Read a merchant with the limits and terms in force',
  description: 'Anything not set for the merchant itself follows the defaults.',
  params: IdParams,
  answer: ProfileAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const profile = await getProfile(context, request.params.id)
    const limits = [...profile.limits.values()]
    return {
      ...toAnswer(profile.merchant),
      limits: limits.map(({ currency, min, max }) => ({
        currency,
        min: wire.amount(min, currency),
        max: wire.amount(max, currency),
      })),
      terms: Object.fromEntries(paymentMethods.map((method) => [method, toTermsAnswer(profile.terms[method])])),
    }
  },
})

const Logo = Type.Object({ logo: Type.OrNull(Type.String(), 'Path of the image.') })

/** Where the logo of a merchant is. */
export type Logo = Static<typeof Logo>

merchantRoutes.put('/merchants/:id/logo', 'configure', {
  id: 'setMerchantLogo',
  summary: "Set the logo that a merchant's payers see, or remove it",
  description: "An image of at most some hundred kilobytes, shown on the payer's page.",
  params: IdParams,
  body: {
    image: Type.OrNull(
      Type.String({ minLength: 1, maxLength: 44 * 1024 }),
      `A PNG, JPEG or WebP of at most ${maxLogoBytes / 1024} KiB, in Base64; \`null\` removes the logo.`,
    ),
  },
  answer: Logo,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const { image } = request.body
    const picture = image === null ? null : Buffer.from(image, 'base64')
    if (picture && picture.toString('base64').replace(/(?<!=)=+$/, '') !== image?.replace(/(?<!=)=+$/, '')) {
      throw refuseField('validation_failed', 'image', 'is not Base64.')
    }
    const hash = await actOnBehalf(context, request, (tx) => setLogo(tx, id, picture), {
      action: 'merchant.logo',
      subject: `merchant:${id}`,
      details: (kept) => ({ hash: kept }),
    })
    return { logo: hash === null ? null : `/assets/logo/${hash}` }
  },
})
