import { paymentMethods } from '../rules/values/payment-method.ts'
import { BankCode } from './fields.ts'
import { type Noun, operation } from './operation.ts'
import { type Static, Type } from './schema.ts'

export const BankIssuerAnswer = Type.TitledExact('BankIssuer', {
  code: { ...BankCode, description: 'Code on the wire.' },
  name: Type.Printable(200, { description: 'Name that payers know.', examples: ['Sberbank'] }),
  country: Type.String({ pattern: '^[A-Z]{2}$', description: 'Two letters of ISO 3166-1.', examples: ['RU'] }),
  'sbpMemberId?': Type.Printable(40, {
    description: 'Identifier of the bank in SBP.',
    heading: 'SBP member',
    kind: 'word',
  }),
  'bic?': Type.String({
    pattern: '^[0-9]{9}$',
    description: "The bank's BIC in Russia; with `correspondentAccount` its accounts get a payment QR code.",
    examples: ['044525225'],
  }),
  'correspondentAccount?': Type.String({
    pattern: '^[0-9]{20}$',
    description: 'Its twenty digits in Russia.',
    examples: ['30101810400000000225'],
  }),
  'aliases?': Type.Array(Type.Printable(60), {
    maxItems: 20,
    description:
      'Other names by which payers find it; spellings in Latin letters work without them. The first one in Latin letters is its name on pages in languages that have these.',
    examples: [['Тинькофф', 'Tinkoff']],
  }),
  'rank?': Type.Bounded(
    1,
    10_000,
    "Its rank among payers' banks, 1 for the most common one; payers see the first ranks first.",
  ),
})
export type BankIssuerAnswer = Static<typeof BankIssuerAnswer>

const Link = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'With https or the scheme of an app; `{amount}` and `{number}` are filled in.',
  examples: ['https://bank.example.com/transfer?phone={number}&sum={amount}'],
})

const Steps = Type.Partial(
  Type.Object({
    ru: Type.Array(Type.Printable(300), { minItems: 1, maxItems: 10 }),
    en: Type.Array(Type.Printable(300), { minItems: 1, maxItems: 10 }),
  }),
  { additionalProperties: false },
)

const byMethod = <T extends typeof Link | typeof Steps>(schema: T, description: string) =>
  Type.Partial(Type.Object(Object.fromEntries(paymentMethods.map((method) => [method, schema])) as Record<string, T>), {
    additionalProperties: false,
    description,
  })

const Guide = Type.Exact(
  {
    links: byMethod(Link, "Links into the bank's app, by method. Payers tap them; they never open automatically."),
    steps: byMethod(Steps, 'What to do in the app, by method and language; replaces the general steps.'),
  },
  {
    title: 'BankGuide',
    examples: [
      {
        links: { sbp: 'https://bank.example.com/transfer?phone={number}&sum={amount}' },
        steps: { sbp: { en: ['Open “Payments”.', 'Choose “By phone number”.'] } },
      },
    ],
  },
)
export type Guide = Static<typeof Guide>

/** The texts of a guide as a table. */
export const GuideTable = {
  texts: Type.Rows('', {
    method: Type.String({ kind: 'word' }),
    for: Type.String({ kind: 'word' }),
    text: Type.String(),
  }),
}

const ofBank = { code: { ...BankCode, description: 'Code of the bank.' } }

export const banks = {
  about: 'Bank issuers: the banks of payers and requisites.',
  examples: [
    'payin banks set --code sberbank --name Sberbank --country RU',
    'payin banks set --code t-bank --aliases "Тинькофф,Tinkoff" --rank 2',
    'payin banks set --file banks.json',
    'payin banks guide sberbank --file guide.json',
  ],
  operations: {
    set: operation('PUT /bank-issuers', 'configure', {
      id: 'setBankIssuers',
      summary: 'Add bank issuers or change those with the same codes',
      description: 'Banks that you do not name do not change.',
      bodyLimit: 512 * 1024,
      body: { bankIssuers: Type.Array(BankIssuerAnswer, { minItems: 1, maxItems: 1000 }) },
      answer: { bankIssuers: Type.Array(BankIssuerAnswer) },
      command: {
        about:
          'Add or change a bank issuer; what you leave out stays as it is. With --file, set each issuer exactly as the file has it.',
        list: 'bankIssuers',
        says: ({ bankIssuers }) => `Set: ${bankIssuers.map(({ code }) => code).join(', ')}.`,
      },
    }),
    list: operation('GET /bank-issuers', 'read', {
      id: 'listAllBankIssuers',
      summary: 'List bank issuers',
      description: 'With the details that payment pages use.',
      answer: { bankIssuers: Type.Array(BankIssuerAnswer) },
      exports: 'bankIssuers',
      command: {
        columns: ['code', 'name', 'country', 'rank', 'aliases', 'sbpMemberId'],
        empty: 'No bank issuers yet. Add one: payin banks set --code sberbank --name Sberbank --country RU',
      },
    }),
    setGuide: operation('PUT /bank-issuers/{code}/guide', 'configure', {
      id: 'setBankGuide',
      summary: "Set the guide that the payer's page shows to customers of a bank",
      description: 'Replaces the guide that was set before.',
      params: ofBank,
      body: Guide,
      answer: Guide,
      command: null,
    }),
    guide: operation('GET /bank-issuers/{code}/guide', 'read', {
      id: 'getBankGuide',
      summary: "Read the guide that the payer's page shows to customers of a bank",
      description: 'The steps and links by method and language.',
      params: ofBank,
      answer: Guide,
    }),
  },
} satisfies Noun<unknown>
