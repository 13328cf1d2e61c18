import { type Static, Type } from 'typebox'
import type { Context } from '../../context.ts'
import { bankIssuers } from '../../requisites/bank-issuers.ts'
import { setBankIssuers } from '../../requisites/set-bank-issuers.ts'
import type { App } from '../app.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { BankCode, PrintableText } from '../fields.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'
import { readBody } from '../read-body.ts'

const BankIssuer = Type.Object(
  {
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
  },
  { additionalProperties: false },
)

/** A bank issuer, in the words of the wire. */
export type BankIssuer = Static<typeof BankIssuer>

/** `PUT /bank-issuers`, `GET /bank-issuers`. */
export const registerBankIssuers = (app: App, context: Context): void => {
  app.put(
    '/bank-issuers',
    {
      bodyLimit: 512 * 1024,
      schema: {
        ...operation('setBankIssuers', 'Add bank issuers or change those with the same codes'),
        body: Type.Object(
          { bankIssuers: Type.Array(BankIssuer, { minItems: 1, maxItems: 1000 }) },
          { additionalProperties: false },
        ),
        response: { 200: Type.Object({ bankIssuers: Type.Array(BankIssuer) }), ...problems() },
      },
    },
    async (request) => {
      const banks = request.body.bankIssuers.map((bank) => ({ ...bank, sbpMemberId: bank.sbpMemberId ?? null }))
      const read = readBody()
      const codes = new Set<string>()
      for (const [index, { code }] of banks.entries()) {
        if (codes.has(code)) read.wrong(`bankIssuers.${index}.code`, 'is there twice.')
        codes.add(code)
      }
      read.finish()
      const act = { action: 'bank-issuers.set', subject: 'bank-issuers', details: request.body }
      await actOnBehalf(context, request, act, (tx) => setBankIssuers(tx, banks))
      return request.body
    },
  )

  app.get(
    '/bank-issuers',
    {
      schema: {
        ...operation('listAllBankIssuers', 'List bank issuers'),
        response: { 200: Type.Object({ bankIssuers: Type.Array(BankIssuer) }), ...problems() },
      },
    },
    async () => {
      const banks = await context.catalog.get(bankIssuers)
      return {
        bankIssuers: [...banks.values()].map(({ code, name, country, sbpMemberId, bic, correspondentAccount }) => ({
          ...{ code, name, country },
          ...(sbpMemberId === null ? {} : { sbpMemberId }),
          ...(bic === null ? {} : { bic }),
          ...(correspondentAccount === null ? {} : { correspondentAccount }),
        })),
      }
    },
  )
}
