import { defaultTerms, termAmounts } from '../../rules/merchants/merchant.ts'
import { type ChangedTerms, setLimits, setTerms } from '../../engine/merchants/merchant.ts'
import { actOnBehalf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'
import { listLimits } from '../../engine/merchants/read.ts'
import { limits, type TermsChange, merchantTerms } from '../../operations/terms.ts'

const toTerms = (body: TermsChange): ChangedTerms => {
  const amounts = termAmounts.flatMap((name) => (typeof body[name] === 'number' ? [[name, BigInt(body[name])]] : []))
  return { ...body, ...Object.fromEntries(amounts) } as ChangedTerms
}

export const termsRoutes = bindOperations(merchantTerms.operations, {
  set: async (context, request) => {
    const { id, method } = request.params
    const change = toTerms(request.body)
    const act = { action: 'terms.set', subject: `merchant:${id}`, details: { method, terms: request.body } }
    const terms = await actOnBehalf(context, request, (tx) => setTerms(tx, id, method, change), act)
    return { merchantId: id, method, terms: { ...defaultTerms(method), ...terms } }
  },
})

export const limitRoutes = bindOperations(limits.operations, {
  set: async (context, request) => {
    const { currency } = request.params
    const { merchantId } = request.body
    const { min, max } = readBody((read) => ({
      min: read.amount(request.body, 'min', currency),
      max: read.amount(request.body, 'max', currency),
    }))
    const act = { action: 'limits.set', subject: `currency:${currency}`, details: request.body }
    await actOnBehalf(context, request, (tx) => setLimits(tx, merchantId ?? null, { currency, min, max }), act)
    return { ...request.body, currency }
  },
  list: async (context) => ({ limits: await listLimits(context) }),
})
