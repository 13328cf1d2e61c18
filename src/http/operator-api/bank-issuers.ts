import { type Static, Type } from '../../operations/schema.ts'
import { paymentMethods } from '../../rules/values/payment-method.ts'
import { Refusal } from '../../rules/refusal.ts'
import { bankIssuers, setBankGuide, setBankIssuers } from '../../engine/requisites/bank-issuers.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { BankCode, wire } from '../../operations/fields.ts'
import { readBody } from '../read-body.ts'
import { amountRefusals } from '../../operations/operator-fields.ts'
import { routesForOperators } from '../routes.ts'

const BankIssuerAnswer = Type.TitledExact('BankIssuer', {
  code: BankCode,
  name: Type.Printable(200, { examples: ['Sberbank'] }),
  country: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.', examples: ['RU'] }),
  sbpMemberId: Type.Optional(Type.Printable(40, 'Identifier of the bank in SBP.')),
  bic: Type.Optional(
    Type.String({
      pattern: '^[0-9]{9}$',
      description: "The bank's BIC in Russia; with `correspondentAccount` its accounts get a payment QR code.",
      examples: ['044525225'],
    }),
  ),
  correspondentAccount: Type.Optional(Type.String({ pattern: '^[0-9]{20}$', examples: ['30101810400000000225'] })),
  aliases: Type.Optional(
    Type.Array(Type.Printable(60), {
      maxItems: 20,
      description: 'Other names by which payers find it; spellings in Latin letters work without them.',
      examples: [['Тинькофф', 'Tinkoff']],
    }),
  ),
  rank: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: 10_000 },
      description: "Its rank among payers' banks, 1 for the most common one; payers see the first ranks first.",
    }),
  ),
})

export type BankIssuerAnswer = Static<typeof BankIssuerAnswer>

/** Bank issuers, and the guides for their customers. */
export const bankIssuerRoutes = routesForOperators()

bankIssuerRoutes.put('/bank-issuers', 'configure', {
  id: 'setBankIssuers',
  summary: 'Add bank issuers or change those with the same codes',
  description: 'Banks that you do not name do not change.',
  bodyLimit: 512 * 1024,
  body: { bankIssuers: Type.Array(BankIssuerAnswer, { minItems: 1, maxItems: 1000 }) },
  answer: { bankIssuers: Type.Array(BankIssuerAnswer) },
  refusals: [...amountRefusals],
  handle: async (context, request) => {
    const banks = request.body.bankIssuers.map((bank) => ({ ...bank, sbpMemberId: bank.sbpMemberId ?? null }))
    const codes = new Set<string>()
    readBody((read) => {
      for (const [index, { code }] of banks.entries()) {
        if (codes.has(code)) read.wrong(`bankIssuers.${index}.code`, 'is given twice.')
        codes.add(code)
      }
    })
    const act = { action: 'bank-issuers.set', subject: 'bank-issuers', details: request.body }
    await actOnBehalf(context, request, (tx) => setBankIssuers(tx, banks), act)
    return request.body
  },
})

bankIssuerRoutes.get('/bank-issuers', 'read', {
  id: 'listAllBankIssuers',
  summary: 'List bank issuers',
  description: 'With the details that payment pages use.',
  answer: { bankIssuers: Type.Array(BankIssuerAnswer) },
  exports: 'bankIssuers',
  handle: async (context) => {
    const banks = await context.catalog.get(bankIssuers)
    return {
      bankIssuers: [...banks.values()].map(({ guide: _, aliases, ...bank }) => ({
        ...wire.fields(bank),
        ...(aliases.length > 0 && { aliases: [...aliases] }),
      })),
    }
  },
})

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

/** What the payer's page shows to customers of a bank. */
export type Guide = Static<typeof Guide>

const CodeParams = Type.Object({ code: { ...BankCode, description: 'Code of the bank.' } })

bankIssuerRoutes.put('/bank-issuers/:code/guide', 'configure', {
  id: 'setBankGuide',
  summary: "Set the guide that the payer's page shows to customers of a bank",
  description: 'Replaces the guide that was set before.',
  params: CodeParams,
  body: Guide,
  answer: Guide,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { code } = request.params
    const act = { action: 'bank-guide.set', subject: `bank:${code}`, details: request.body }
    await actOnBehalf(context, request, (tx) => setBankGuide(tx, code, request.body), act)
    return request.body
  },
})

bankIssuerRoutes.get('/bank-issuers/:code/guide', 'read', {
  id: 'getBankGuide',
  summary: "Read the guide that the payer's page shows to customers of a bank",
  description: 'The steps and links by method and language.',
  params: CodeParams,
  answer: Guide,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const bank = (await context.catalog.get(bankIssuers)).get(request.params.code)
    if (!bank) throw new Refusal('resource_not_found', 'There is no such bank issuer.')
    return bank.guide
  },
})
