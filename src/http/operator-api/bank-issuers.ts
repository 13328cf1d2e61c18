import { noSuch } from '../../rules/refusal.ts'
import { bankIssuers, setBankGuide, setBankIssuers } from '../../engine/requisites/bank-issuers.ts'
import { actOnBehalf, actOnNamed } from '../access/act-on-behalf.ts'
import { banks } from '../../operations/banks.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'

export const bankIssuerRoutes = bindOperations(banks.operations, {
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
      bankIssuers: [...known.values()].map(({ aliases, ...bank }) => ({
        ...bank,
        aliases: aliases.length > 0 ? aliases : null,
      })),
    }
  },
  setGuide: async (context, request) => {
    await actOnNamed(context, request, 'bank.set-guide', (tx) => setBankGuide(tx, request.params.code, request.body))
    return request.body
  },
  guide: async (context, request) => {
    const bank = (await context.catalog.get(bankIssuers)).get(request.params.code)
    if (!bank) throw noSuch('bank issuer')
    return bank.guide
  },
})
