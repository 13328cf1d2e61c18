import { type Static, Type } from 'typebox'
import { paymentMethods } from '../../domain/payment-method.ts'
import { Refusal } from '../../domain/refusal.ts'
import { bankIssuers } from '../../requisites/bank-issuers.ts'
import { setBankGuide } from '../../requisites/set-bank-guide.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { BankCode, Exact, PrintableText } from '../fields.ts'
import { routesForOperators } from '../routes.ts'

const Link = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'With https or the scheme of an app; `{amount}` and `{number}` are filled in.',
  examples: ['https://bank.example.com/transfer?phone={number}&sum={amount}'],
})

const Steps = Type.Partial(
  Type.Object({
    ru: Type.Array(PrintableText(300), { minItems: 1, maxItems: 10 }),
    en: Type.Array(PrintableText(300), { minItems: 1, maxItems: 10 }),
  }),
  { additionalProperties: false },
)

const byMethod = <T extends typeof Link | typeof Steps>(schema: T, description: string) =>
  Type.Partial(Type.Object(Object.fromEntries(paymentMethods.map((method) => [method, schema])) as Record<string, T>), {
    additionalProperties: false,
    description,
  })

const Guide = Exact(
  {
    links: byMethod(Link, "Links into the bank's app, by method. Payers tap them; they never open automatically."),
    steps: byMethod(Steps, 'What to do in the app, by method and language, instead of the general steps.'),
  },
  {
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

const CodeParams = Type.Object({ code: BankCode })

/** What the payer's page shows to customers of a bank. */
export const bankGuideRoutes = routesForOperators()

bankGuideRoutes.put('/bank-issuers/:code/guide', {
  id: 'setBankGuide',
  summary: "Set the guide that the payer's page shows to customers of a bank",
  params: CodeParams,
  body: Guide,
  answer: Guide,
  handle: async (context, request) => {
    const { code } = request.params
    const act = { action: 'bank-guide.set', subject: `bank:${code}`, details: request.body }
    await actOnBehalf(context, request, act, (tx) => setBankGuide(tx, code, request.body))
    return request.body
  },
})

bankGuideRoutes.get('/bank-issuers/:code/guide', {
  id: 'getBankGuide',
  summary: "Read the guide that the payer's page shows to customers of a bank",
  params: CodeParams,
  answer: Guide,
  handle: async (context, request) => {
    const bank = (await context.catalog.get(bankIssuers)).get(request.params.code)
    if (!bank) throw new Refusal('resource_not_found', 'There is no such bank issuer.')
    return bank.guide
  },
})
