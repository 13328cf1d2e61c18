import { defaultTerms, termAmounts, type Terms } from '../../rules/merchants/merchant.ts'
import { day } from '../../rules/time.ts'
import { setLimits, setTerms } from '../../engine/merchants/merchant.ts'
import { type EndedPayment, type TriedTerms, tryTerms } from '../../engine/transfers/try-terms.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { actOnBehalf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'
import { listLimits } from '../../engine/merchants/read.ts'
import { limits, type TermsChange, merchantTerms } from '../../operations/terms.ts'

const toTerms = (body: TermsChange): Partial<Terms> => {
  const amounts = termAmounts.flatMap((name) => (body[name] === undefined ? [] : [[name, BigInt(body[name])]]))
  return { ...body, ...Object.fromEntries(amounts) } as Partial<Terms>
}

/** Longest span of a replay. */
const maxSpanMs = 31 * day
/** Most changed payments in a response. */
const maxShown = 200

const toEnd = (end: EndedPayment) => ({ ...end, creditedAmount: end.credited })

const toAnswer = ({ totals, changed, ...counts }: TriedTerms) => ({
  ...{ ...counts, ...totals, changedCount: changed.length },
  changed: changed
    .slice(0, maxShown)
    .map(({ payment, now, tried }) => ({ ...payment, now: toEnd(now), tried: toEnd(tried) })),
})

export const termsRoutes = bindOperations(merchantTerms.operations, {
  set: async (context, request) => {
    const { id, method } = request.params
    const terms = toTerms(request.body)
    const act = { action: 'terms.set', subject: `merchant:${id}`, details: { method, terms: request.body } }
    await actOnBehalf(context, request, (tx) => setTerms(tx, id, method, terms), act)
    return { merchantId: id, method, terms: { ...defaultTerms(method), ...terms } }
  },
  try: async (context, request) => {
    const { id: merchantId, method } = request.params
    await getProfile(context, merchantId)
    const span = readBody((read) => {
      const since = read.instant(request.body.since, 'since')
      const until = read.instant(request.body.until, 'until')
      if (until <= since || until - since > maxSpanMs)
        read.wrong('until', 'must be later than since, by at most 31 days.')
      return { since, until }
    })
    return toAnswer(await tryTerms(context, { merchantId, method, ...span, terms: toTerms(request.body.terms) }))
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
