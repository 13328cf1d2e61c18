import { type Static, Type } from 'typebox'
import { bankIssuers } from '../../requisites/bank-issuers.ts'
import { setBankIssuers } from '../../requisites/set-bank-issuers.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { BankCode, Exact, PrintableText, withoutNulls } from '../fields.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'

const BankIssuer = Exact({
  code: BankCode,
  name: PrintableText(200, { examples: ['Sberbank'] }),
  country: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.', examples: ['RU'] }),
  sbpMemberId: Type.Optional(PrintableText(40, { description: 'Identifier of the bank in SBP.' })),
  bic: Type.Optional(
    Type.String({
      pattern: '^[0-9]{9}$',
      description: "The bank's BIC in Russia; with `correspondentAccount` its accounts get a payment QR code.",
      examples: ['044525225'],
    }),
  ),
  correspondentAccount: Type.Optional(Type.String({ pattern: '^[0-9]{20}$', examples: ['30101810400000000225'] })),
})

/** A bank issuer, in the words of the wire. */
export type BankIssuer = Static<typeof BankIssuer>

/** Bank issuers. */
export const bankIssuerRoutes = routesForOperators()

bankIssuerRoutes.put('/bank-issuers', {
  id: 'setBankIssuers',
  summary: 'Add bank issuers or change those with the same codes',
  bodyLimit: 512 * 1024,
  body: { bankIssuers: Type.Array(BankIssuer, { minItems: 1, maxItems: 1000 }) },
  answer: { bankIssuers: Type.Array(BankIssuer) },
  handle: async (context, request) => {
    const banks = request.body.bankIssuers.map((bank) => ({ ...bank, sbpMemberId: bank.sbpMemberId ?? null }))
    const codes = new Set<string>()
    readBody((read) => {
      for (const [index, { code }] of banks.entries()) {
        if (codes.has(code)) read.wrong(`bankIssuers.${index}.code`, 'is there twice.')
        codes.add(code)
      }
    })
    const act = { action: 'bank-issuers.set', subject: 'bank-issuers', details: request.body }
    await actOnBehalf(context, request, act, (tx) => setBankIssuers(tx, banks))
    return request.body
  },
})

bankIssuerRoutes.get('/bank-issuers', {
  id: 'listAllBankIssuers',
  summary: 'List bank issuers',
  answer: { bankIssuers: Type.Array(BankIssuer) },
  handle: async (context) => {
    const banks = await context.catalog.get(bankIssuers)
    return {
      bankIssuers: [...banks.values()].map(({ code, name, country, sbpMemberId, bic, correspondentAccount }) =>
        withoutNulls({ code, name, country, sbpMemberId, bic, correspondentAccount }),
      ),
    }
  },
})
