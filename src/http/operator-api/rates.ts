import { isRateUsable, type Rate } from '../../rules/money/rate.ts'
import { day } from '../../rules/time.ts'
import { listPaidShares } from '../../engine/attention/read.ts'
import { listRateProposals } from '../../engine/merchants/rates/agree-on-price.ts'
import { currentRates, listRateHistory } from '../../engine/merchants/rates/rate.ts'
import { listRateSources } from '../../engine/merchants/rates/sources/source.ts'
import { endOverride, listOverrides, setOverride, setRateByHand } from '../../engine/merchants/rates/set-by-hand.ts'
import type { Tx } from '../../engine/context.ts'
import { rateOverrides, rates } from '../../operations/rates.ts'
import { actOnBehalf, actorOf, agreeingOf, type RequestedAct } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'

const toAnswer = (rate: Rate, now: number) => ({ ...rate, usable: isRateUsable(rate, now) })

const historySpans = { '1d': day, '7d': 7 * day, '31d': 31 * day }

export const rateRoutes = bindOperations(rates.operations, {
  set: async (context, request) => {
    const { currency } = request.params
    const { source = 'manual', maxAgeMs = null, outsideBand = false } = request.body
    const price = readBody((read) => read.price(request.body, 'price'))
    const wanted = { currency, price, source, maxAgeMs, outsideBand }
    const act: RequestedAct<Rate | undefined> = {
      action: 'rate.set',
      subject: `currency:${currency}`,
      details: (set) => ({ ...request.body, ...(set ? {} : { proposed: true }) }),
    }
    const rate = await actOnBehalf(
      context,
      request,
      async (tx) => setRateByHand(tx, wanted, await agreeingOf(context, request, tx)),
      act,
    )
    const now = context.clock()
    const proposed = { currency, price, source, createdAt: now, validUntil: null }
    return rate ? toAnswer(rate, now) : { ...toAnswer(proposed, now), usable: false, proposed: true }
  },
  list: async (context) => {
    const current = await context.catalog.get(currentRates)
    const proposals = await listRateProposals(context)
    const sources = await listRateSources(context)
    return {
      rates: [...current.values()].map((rate) => toAnswer(rate, context.clock())),
      proposals: proposals.map((each) => {
        const reporter = sources.find(({ currency, name }) => currency === each.currency && name === each.source)
        return { ...each, ...(reporter && { sourceId: reporter.id }) }
      }),
    }
  },
  'paid-shares': async (context) => ({
    merchants: (await listPaidShares(context)).map((shares) => ({ ...shares, merchantName: shares.merchant })),
  }),
  history: async (context, request) => {
    const { currency } = request.params
    const since = context.clock() - historySpans[request.query.within ?? '1d']
    const points = await listRateHistory(context, currency, since)
    return { currency, points: points.map((point) => ({ ...point, at: point.createdAt })) }
  },
})

export const rateOverrideRoutes = bindOperations(rateOverrides.operations, {
  list: async (context) => ({ overrides: await listOverrides(context) }),
  set: async (context, request) => {
    const { currency } = request.params
    const { reason, outsideBand = false } = request.body
    const { price, endsAt } = readBody((read) => ({
      price: read.price(request.body, 'price'),
      endsAt: read.instant(request.body.until, 'until'),
    }))
    const override = { currency, price, endsAt, reason, setBy: actorOf(request) }
    const set = await actOnBehalf(
      context,
      request,
      async (tx) => setOverride(tx, override, outsideBand, await agreeingOf(context, request, tx)),
      {
        action: 'rate.override',
        subject: `currency:${currency}`,
        details: (isSet) => ({ ...request.body, ...(isSet ? {} : { proposed: true }) }),
      },
    )
    return { ...(set ?? override), price, proposed: set ? null : true }
  },
  end: async (context, request) => {
    const { currency } = request.params
    const act: RequestedAct<boolean> = {
      action: 'rate.override-end',
      subject: `currency:${currency}`,
      details: (isEnded) => (isEnded ? {} : { proposed: true }),
    }
    const end = async (tx: Tx) => endOverride(tx, currency, await agreeingOf(context, request, tx))
    return { currency, ...((await actOnBehalf(context, request, end, act)) ? {} : { proposed: true }) }
  },
})
