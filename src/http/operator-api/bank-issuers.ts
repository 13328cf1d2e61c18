import { Refusal } from '../../rules/refusal.ts'
import { bankIssuers, setBankGuide, setBankIssuers } from '../../engine/requisites/bank-issuers.ts'
import { actOnBehalf } from '../access/act-on-behalf.ts'
import { banks } from '../../operations/banks.ts'
import { wire } from '../../operations/fields.ts'
import { bindNoun } from '../routes/bind-noun.ts'
import { readBody } from '../routes/read-body.ts'

export const bankIssuerRoutes = bindNoun(banks, {
  set: async (context, request) => {
    const wanted = request.body.bankIssuers.map((bank) => ({ ...bank, sbpMemberId: bank.sbpMemberId ?? null }))
    const codes = new Set<string>()
    readBody((read) => {
      for (const [index, { code }] of wanted.entries()) {
        if (codes.has(code)) read.wrong(`bankIssuers.${index}.code`, 'is given twice.')
        codes.add(code)
      }
    })
    const act = { action: 'bank-issuers.set', subject: 'bank-issuers', details: request.body }
    await actOnBehalf(context, request, (tx) => setBankIssuers(tx, wanted), act)
    return request.body
  },
  list: async (context) => {
    const known = await context.catalog.get(bankIssuers)
    return {
      bankIssuers: [...known.values()].map(({ guide: _, aliases, ...bank }) => ({
        ...wire.fields(bank),
        ...(aliases.length > 0 && { aliases: [...aliases] }),
      })),
    }
  },
  setGuide: async (context, request) => {
    const { code } = request.params
    const act = { action: 'bank-guide.set', subject: `bank:${code}`, details: request.body }
    await actOnBehalf(context, request, (tx) => setBankGuide(tx, code, request.body), act)
    return request.body
  },
  guide: async (context, request) => {
    const bank = (await context.catalog.get(bankIssuers)).get(request.params.code)
    if (!bank) throw new Refusal('resource_not_found', 'There is no such bank issuer.')
    return bank.guide
  },
})
