import { linkStates, mostLinkUses } from '../rules/payments/payment-link.ts'
import { paymentMethods } from '../rules/values/payment-method.ts'
import { Currency, Id, PositiveAmount, Time, idOf, ofMerchant } from './fields.ts'
import { pageOf, PageQuery } from './lists.ts'
import { Metadata, MetadataAnswer } from './metadata.ts'
import { type Noun, operation } from './operation.ts'
import { type Forms, type Static, presented, Type } from './schema.ts'

const Title = Type.Printable(100, {
  description: 'What is paid for, as the payer reads it.',
  examples: ['Pottery course'],
})
const Description = Type.Printable(500, {
  description: 'More about it, shown below the title.',
  examples: ['Eight evenings in March, clay included.'],
})
const usesText = '`once`: one payment may be paid. `many`: any number, or up to `maxUses`.'
const Uses = Type.OneOf(['once', 'many'], { description: usesText })
const MaxUses = Type.Bounded(1, mostLinkUses, {
  description: 'How many payments may be paid; only with `many`.',
  examples: [20],
})
const amounts = {
  amount: { ...PositiveAmount, description: 'The amount to pay. Without it the payer enters one.' },
  minAmount: { ...PositiveAmount, description: 'The least that a payer may enter.', examples: [100] },
  maxAmount: { ...PositiveAmount, description: 'The most that a payer may enter.', examples: [10000] },
}
const Method = Type.OneOf(
  paymentMethods,
  'How to pay. Without it the payer chooses among the methods that the merchant accepts.',
)
const EndsAt = { ...Time, description: 'When the link stops working. Default: never.' }
const ReturnUrl = Type.String({
  maxLength: 2000,
  description: "Where the payer's page sends the payer back to; on a registered host.",
  examples: ['https://shop.example.com/thanks'],
})

export const NewLink = Type.Exact(
  {
    title: Title,
    'description?': Description,
    currency: Currency,
    'method?': Method,
    'amount?': amounts.amount,
    'minAmount?': amounts.minAmount,
    'maxAmount?': amounts.maxAmount,
    'uses?': { ...Uses, description: `${usesText} Default: \`once\`.` },
    'maxUses?': MaxUses,
    'endsAt?': EndsAt,
    'returnUrl?': ReturnUrl,
    'metadata?': presented(Metadata, {
      description: 'Up to 20 named texts of your own, copied to each payment of the link.',
      kind: 'pairs',
    }),
  },
  {
    title: 'NewPaymentLink',
    examples: [{ title: 'Pottery course', amount: 5000.37, currency: 'rub' }],
  },
)

export const LinkState = Type.OneOf(linkStates, {
  description:
    '`open`: payers may start payments. `used-up`: it has all the payments that it may have. `ended`: `endsAt` has passed. `closed`: somebody has closed it.',
  examples: ['open'],
  tones: { open: 'live', 'used-up': 'good', ended: 'over', closed: 'over' },
})

export const LinkAnswer = Type.Titled('PaymentLink', {
  id: Id,
  url: Type.String({
    format: 'uri',
    description: "Address of the payer's page; give it to payers unchanged.",
    examples: ['https://pay.example.com/l/AQGanD59XntSnwwx0T8zxqEQmW1c8bKq5uJwYkT3o2Zr'],
    heading: 'Address',
  }),
  state: LinkState,
  title: Title,
  'description?': Description,
  currency: Currency,
  'method?': presented(Method, { absent: 'chosen by the payer' }),
  'amount?': presented(amounts.amount, { absent: 'entered by the payer' }),
  'minAmount?': presented(amounts.minAmount, { heading: 'At least' }),
  'maxAmount?': presented(amounts.maxAmount, { heading: 'At most' }),
  uses: { ...Uses, examples: ['once'] },
  'maxUses?': MaxUses,
  payments: Type.Group('How many payments it has, up to 10,000 of each; `GET /payments` with `linkId` lists them.', {
    paid: Type.Whole('`paid` or `disput-paid`.', 0),
    underWay: Type.Whole('`new`, `processing` or `disput`.', 0),
  }),
  'endsAt?': EndsAt,
  'returnUrl?': presented(ReturnUrl, { heading: 'Returns to' }),
  'metadata?': presented(MetadataAnswer, 'Copied to each payment of the link.'),
  createdBy: Type.Text('`token`, `operator`, or the member of the merchant who created it.', 'token'),
  createdAt: Time,
  'closedAt?': Time,
})
export type LinkAnswer = Static<typeof LinkAnswer>

const LinkQuery = {
  ...PageQuery,
  'state?': Type.OneOf(linkStates, 'Only links in this state, among the newest 10,000.'),
}

export const links = {
  about: 'Payment links: pages where payers start payments to a merchant.',
  examples: [
    'payin links create "Pottery course" --amount 5000 --method sbp',
    'payin links create Donation --min 100 --uses many --merchant "Demo Shop"',
    'payin links list --state open',
    'payin links get "Pottery course"',
    'payin links close "Pottery course"',
  ],
  operations: {
    create: operation('POST /merchants/{merchantId}/links', 'support', {
      scope: 'payments:write',
      id: 'createLink',
      summary: 'Create a payment link',
      description:
        'A page where payers start payments; you need no server. Give its `url` to one payer or to many: each gets a separate payment, which needs no acknowledgement.',
      body: NewLink,
      status: 201,
      answer: LinkAnswer,
      refusals: ['amount_below_min', 'currency_not_supported'],
      command: {
        about: "Create a payment link, with its merchant's token or, with --merchant, as an operator.",
        arguments: ['title'],
        options: { minAmount: '--min', maxAmount: '--max', endsAt: '--ends' },
      },
    }),
    list: operation('GET /merchants/{merchantId}/links', 'read', {
      scope: 'payments:read',
      id: 'listLinks',
      summary: 'List payment links',
      description: 'Newest first, with their state and number of payments.',
      query: LinkQuery,
      answer: pageOf('links', LinkAnswer),
    }),
    get: operation('GET /merchants/{merchantId}/links/{linkId}', 'read', {
      scope: 'payments:read',
      id: 'getLink',
      summary: 'Read a payment link',
      description: 'With its state. Its payments are listed by `GET /payments?linkId=…`.',
      answer: LinkAnswer,
    }),
    close: operation('POST /merchants/{merchantId}/links/{linkId}/close', 'support', {
      scope: 'payments:write',
      id: 'closeLink',
      summary: 'Close a payment link',
      description: 'Permanently: nobody can start a payment from it any more. Payments that were started continue.',
      answer: LinkAnswer,
      command: { says: ({ title }) => `The link "${title}" is closed.` },
    }),
  },
} satisfies Noun<unknown>

const OperatorLink = Type.Titled('OperatorPaymentLink', { ...ofMerchant, ...LinkAnswer.properties })

const amountOf = ({ amount, minAmount, maxAmount, currency }: LinkAnswer, forms: Forms): string => {
  if (amount !== undefined) return forms.amount(amount, currency)
  const bounds = [
    minAmount === undefined ? '' : `from ${forms.amount(minAmount, currency)}`,
    maxAmount === undefined ? '' : `to ${forms.amount(maxAmount, currency)}`,
  ].filter((each) => each !== '')
  return bounds.length === 0 ? `any amount in ${currency}` : bounds.join(' ')
}

const usesOf = ({ uses, maxUses }: LinkAnswer): string =>
  uses === 'once' ? 'once' : maxUses === undefined ? 'many' : `up to ${maxUses}`

export const allLinks = {
  list: operation('GET /links', 'read', {
    id: 'listAllLinks',
    summary: 'List payment links of all merchants or of one',
    description: 'Newest first, with their state and number of payments.',
    query: { ...LinkQuery, 'merchantId?': idOf('merchant') },
    answer: pageOf('links', OperatorLink),
    command: {
      columns: [
        ...(['title', 'state'] as const),
        { heading: 'Amount', show: amountOf, kind: 'whole' },
        { heading: 'Uses', show: usesOf },
        { heading: 'Paid', show: ({ payments: { paid } }) => paid, kind: 'whole' },
        { heading: 'Under way', show: ({ payments: { underWay } }) => underWay, kind: 'whole' },
        ...(['merchantId', 'endsAt', 'createdAt', 'id'] as const),
      ],
      empty: 'No such links. Create one: payin links create "Pottery course" --amount 5000',
    },
  }),
}
