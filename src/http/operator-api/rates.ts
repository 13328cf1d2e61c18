import { type Static, Type } from '../../operations/schema.ts'
import { isRateUsable, type Rate, rateBandPercent } from '../../rules/money/rate.ts'
import { day, second } from '../../rules/time.ts'
import { listPaidShares } from '../../engine/attention/read.ts'
import { listRateProposals } from '../../engine/merchants/rates/agree-on-price.ts'
import { currentRates, listRateHistory } from '../../engine/merchants/rates/rate.ts'
import { endOverride, listOverrides, setOverride, setRateByHand } from '../../engine/merchants/rates/sources/source.ts'
import type { Tx } from '../../engine/context.ts'
import { Time, wire } from '../../operations/fields.ts'
import { CurrencyParams, ofMerchant, Reason } from '../../operations/operator-fields.ts'
import { actOnBehalf, actorOf, agreeingOf, type RequestedAct } from '../act-on-behalf.ts'
import { amountRefusals, readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'

const RateAnswer = Type.Titled('Rate', {
  currency: Type.String(),
  price: Type.Number({ description: 'Price of 1 USDT in the currency.', examples: [92.5] }),
  source: Type.String(),
  createdAt: Time,
  validUntil: Type.Optional(Time, 'Absent: until the next rate is set.'),
  usable: Type.Flag('Whether new payments use it now.'),
  proposed: Type.Optional(
    Type.Flag(
      'It is outside the band, or the first of its currency, and waits: another operator sets the same price, from the same source, within a day.',
    ),
  ),
})

const ProposalAnswer = Type.Titled('RateProposal', {
  currency: Type.String(),
  price: Type.Number({ description: 'It waits until another operator sets the same, within a day.' }),
  source: Type.Optional(
    Type.Text(
      'What would set it: `override`; `override-end` for the end of an override, with the price that returns, or that of the override if none would; the name of a source that reports it; or what `setRate` names.',
    ),
  ),
  endsAt: Type.Optional(Time, 'When it would end.'),
  proposedBy: Type.Text('Who proposes it.', 'operator:anna'),
  proposedAt: Time,
})

/** A price that waits for another operator. */
export type RateProposal = Static<typeof ProposalAnswer>

/** The current rate of a currency. */
export type RateAnswer = Static<typeof RateAnswer>

const toAnswer = (rate: Rate, now: number): RateAnswer => ({
  currency: rate.currency,
  price: wire.price(rate.price),
  source: rate.source,
  createdAt: wire.time(rate.createdAt),
  ...(rate.validUntil === null ? {} : { validUntil: wire.time(rate.validUntil) }),
  usable: isRateUsable(rate, now),
})

export const rateRoutes = routesForOperators()

rateRoutes.put('/rates/:currency', 'account', {
  id: 'setRate',
  summary: 'Set the rate of a currency',
  description:
    'Payments created from now on use it; existing ones keep theirs. A price outside the band needs `outsideBand` and, where two people may set rates, a second one, who sets the same price from the same source within a day; so does the first price of a currency. Refused while an override is in force.',
  params: CurrencyParams,
  body: {
    price: Type.Number({
      exclusiveMinimum: 0,
      description: 'Price of 1 USDT, at most 8 decimals.',
      examples: [92.5],
    }),
    source: Type.Optional(
      Type.Printable(
        100,
        'Where it comes from: not the name of a source of the currency, `override`, `override-end` or `demo`. Default: `manual`.',
      ),
    ),
    maxAgeMs: Type.Optional(
      Type.OrNull(
        Type.Integer({ minimum: second, maximum: 366 * day }),
        'How long to use it; absent or `null`: until the next rate is set.',
      ),
    ),
    outsideBand: Type.Optional(
      Type.Flag(`Accept a price that differs from one of the last 24 hours by more than ${rateBandPercent} %.`),
    ),
  },
  answer: RateAnswer,
  refusals: [...amountRefusals, 'invalid_state', 'rate_outside_band', 'second_person_required'],
  handle: async (context, request) => {
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
})

rateRoutes.get('/rates', 'read', {
  id: 'listRates',
  summary: 'List the current rates',
  description: 'By currency, with their age; and the prices that wait for another operator.',
  answer: {
    rates: Type.Array(RateAnswer),
    proposals: Type.Array(ProposalAnswer),
  },
  exports: 'rates',
  handle: async (context) => {
    const rates = await context.catalog.get(currentRates)
    const proposals = await listRateProposals(context)
    return {
      rates: [...rates.values()].map((rate) => toAnswer(rate, context.clock())),
      proposals: proposals.map((each) => wire.fields({ ...each, price: wire.price(each.price) })),
    }
  },
})

const PaidSharesAnswer = Type.Titled('PaidShares', {
  ...ofMerchant,
  favoured: Type.Whole(
    'Payments whose rate had moved in the payer’s favour, by half a percent or more, when their time ended.',
  ),
  favouredPaid: Type.Whole('Those of them that were paid.'),
  others: Type.Whole('All other payments.'),
  othersPaid: Type.Whole('Those of them that were paid.'),
})

/** How many payments of a merchant were paid, by the move of the rate. */
export type PaidSharesAnswer = Static<typeof PaidSharesAnswer>

rateRoutes.get('/rates/paid-shares', 'read', {
  id: 'listPaidShares',
  summary: "Compare how many payments are paid with the rate's move since their creation",
  description:
    'Of each live merchant, its last 5000 payments of 30 days whose time is over. Payers who pay only if the rate has moved in their favour use the locked rate as a free option.',
  answer: { merchants: Type.Array(PaidSharesAnswer) },
  exports: 'merchants',
  handle: async (context) => ({
    merchants: (await listPaidShares(context)).map(({ merchant: merchantName, ...shares }) => ({
      ...shares,
      merchantName,
    })),
  }),
})

const historySpans = { '1d': day, '7d': 7 * day, '31d': 31 * day }

const HistoryAnswer = Type.Object({
  currency: Type.String(),
  points: Type.Array(Type.Object({ at: Time, price: Type.Number(), source: Type.String() }), {
    description: 'Oldest first. The first may be older than the span: it was in force when the span began.',
  }),
})

/** The history of a currency's rate. */
export type RateHistory = Static<typeof HistoryAnswer>

rateRoutes.get('/rates/:currency/history', 'read', {
  id: 'listRateHistory',
  summary: "Show the history of a currency's rate",
  description:
    'At most about 360 points; of more rates, the last, the lowest and the highest in each of equally long spans: no price can hide between two points.',
  params: CurrencyParams,
  query: { within: Type.Optional(Type.OneOf(['1d', '7d', '31d'], 'Default: `1d`.')) },
  answer: HistoryAnswer,
  exports: 'points',
  handle: async (context, request) => {
    const { currency } = request.params
    const since = context.clock() - historySpans[request.query.within ?? '1d']
    const points = await listRateHistory(context, currency, since)
    return {
      currency,
      points: points.map(({ createdAt, price, source }) => ({
        at: wire.time(createdAt),
        price: wire.price(price),
        source,
      })),
    }
  },
})

const OverrideAnswer = Type.Titled('RateOverride', {
  currency: Type.String(),
  price: Type.Number(),
  endsAt: Time,
  reason: Type.String(),
  setBy: Type.String(),
  proposed: Type.Optional(
    Type.Flag('It waits until another operator sets the same price; it then ends when the earlier one of both says.'),
  ),
})

/** An operator's own rate of a currency until a time. */
export type OverrideAnswer = Static<typeof OverrideAnswer>

export const rateOverrideRoutes = routesForOperators()

rateOverrideRoutes.get('/rate-overrides', 'read', {
  id: 'listRateOverrides',
  summary: 'List the overrides of rates that are in force',
  description: 'Each with its end.',
  answer: { overrides: Type.Array(OverrideAnswer) },
  exports: 'overrides',
  handle: async (context) => ({
    overrides: (await listOverrides(context)).map((row) => wire.fields({ ...row, price: wire.price(row.price) })),
  }),
})

rateOverrideRoutes.put('/rates/:currency/override', 'account', {
  id: 'setRateOverride',
  summary: 'Set the rate of a currency until a time, whatever its sources say',
  description:
    'When it ends, the sources set the rate again, or the rate before it returns. If that rate is outside the band around the override in force, and two people may set rates, another one needs a second person, too.',
  params: CurrencyParams,
  body: {
    price: Type.Number({ exclusiveMinimum: 0, description: 'Price of 1 USDT, at most 8 decimals.' }),
    until: Time,
    reason: Reason,
    outsideBand: Type.Optional(Type.Flag('As for `setRate`.')),
  },
  answer: OverrideAnswer,
  refusals: [...amountRefusals, 'rate_outside_band', 'second_person_required'],
  handle: async (context, request) => {
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
    return wire.fields({ ...(set ?? override), price: wire.price(price), proposed: set ? null : true })
  },
})

rateOverrideRoutes.delete('/rates/:currency/override', 'account', {
  id: 'endRateOverride',
  summary: 'End the override of a rate',
  description:
    'The sources set the rate again; without a price of theirs, the last rate that is not an override. If there is none that may still be used, no payment can be created until a rate is set. If that rate is outside the band around the override, and two people may set rates, a second one ends it, too, within a day.',
  params: CurrencyParams,
  answer: {
    currency: Type.String(),
    proposed: Type.Optional(Type.Flag('The override goes on until another operator ends it, too.')),
  },
  refusals: ['rate_outside_band', 'resource_not_found', 'second_person_required'],
  handle: async (context, request) => {
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
