import { demoRateSource, rateBandPercent } from '../rules/money/rate.ts'
import { overrideEnd, overrideSource } from '../rules/money/rate-source.ts'
import { percentsPaid } from '../rules/payments/paid-shares.ts'
import { day, second } from '../rules/time.ts'
import { idOf, ofMerchant, Price, Reason, Time } from './fields.ts'
import { type Noun, operation } from './operation.ts'
import { inColumns, presented, type Static, Type } from './schema.ts'

const RateAnswer = Type.Titled('Rate', {
  currency: Type.String(),
  price: Type.Number({ description: 'Price of 1 USDT in the currency.', examples: [92.5], heading: '1 USDT' }),
  source: Type.String(),
  createdAt: presented(Time, { heading: 'Set' }),
  'validUntil?': presented(Time, { description: 'Absent: until the next rate is set.', absent: 'the next rate' }),
  usable: Type.Flag('Whether new payments use it now.'),
  'proposed?': Type.Flag(
    'It is outside the band, or the first of its currency, and waits: another operator sets the same price, from the same source, within a day.',
  ),
})

type Use = { readonly usable?: boolean; readonly source?: string }

const whereUsable = ({ usable, source }: Use): string => {
  if (usable !== true) return 'NO'
  return source === demoRateSource ? 'in the sandbox' : 'yes'
}
export type RateAnswer = Static<typeof RateAnswer>

const ProposalAnswer = Type.Titled('RateProposal', {
  currency: Type.String(),
  price: Type.Number({ description: 'It waits until another operator sets the same, within a day.' }),
  'source?': Type.Text(
    'What would set it: `override`; `override-end` for the end of an override, with the price that returns, or that of the override if none would; the name of a source that reports it; or what `setRate` names.',
  ),
  'endsAt?': presented(Time, 'When it would end.'),
  proposedBy: presented(Type.Text('Who proposes it.', 'operator:anna'), { kind: 'person' }),
  proposedAt: Time,
  'sourceId?': presented(idOf('rate-source'), 'The source that reports it.'),
})
export type RateProposal = Static<typeof ProposalAnswer>

/** The command with which another operator agrees to a proposal. */
const agreeingCommand = ({ currency, price, source = 'manual', sourceId, endsAt }: RateProposal): string => {
  if (sourceId !== undefined) return `payin rates sources accept "${currency} ${source}" ${price}`
  if (source === overrideEnd) return `payin rates override end ${currency}`
  if (source === overrideSource) {
    return `payin rates override set ${currency} ${price} --until ${endsAt} --reason <why> --outside-band`
  }
  const origin = source === 'manual' ? '' : ` --source ${JSON.stringify(source)}`
  return `payin rates set ${currency} ${price}${origin} --outside-band`
}

const PaidSharesAnswer = Type.Titled('PaidShares', {
  ...ofMerchant,
  favoured: Type.Whole(
    'Payments whose rate had moved in the payer’s favour, by half a percent or more, when their time ended.',
  ),
  favouredPaid: Type.Whole('Those of them that were paid.'),
  others: Type.Whole('All other payments.'),
  othersPaid: Type.Whole('Those of them that were paid.'),
})

const HistoryAnswer = Type.Object({
  currency: Type.String(),
  points: Type.Rows('Oldest first. The first may be older than the span: it was in force when the span began.', {
    at: Time,
    price: Type.Number(),
    source: Type.String(),
  }),
})
export type RateHistory = Static<typeof HistoryAnswer>

const OverrideAnswer = Type.Titled('RateOverride', {
  currency: Type.String(),
  price: Type.Number({ heading: '1 USDT' }),
  endsAt: presented(Time, { heading: 'Until' }),
  reason: Type.String(),
  setBy: Type.String({ kind: 'person', heading: 'By' }),
  'proposed?': Type.Flag(
    'It waits until another operator sets the same price; it then ends when the earlier one of both says.',
  ),
})
export type OverrideAnswer = Static<typeof OverrideAnswer>

const describeProposal = ({ currency, price }: { readonly currency: string; readonly price: number }): string =>
  `Proposed: 1 USDT = ${price} ${currency}. It takes effect once another operator sets the same price within a day.`

const OutsideBand = Type.Flag(
  `Accept a price that differs from one of the last 24 hours by more than ${rateBandPercent} %.`,
)

export const rates = {
  about: 'Prices of 1 USDT, by currency.',
  examples: ['payin rates set rub 92.5', 'payin rates set rub 92.5 --max-age 10m --source exchange'],
  operations: {
    set: operation('PUT /rates/{currency}', 'account', {
      id: 'setRate',
      summary: 'Set the rate of a currency',
      description:
        'Payments created from now on use it; existing ones keep theirs. A price outside the band needs `outsideBand` and, where two people may set rates, a second one, who sets the same price from the same source within a day; so do the first price of a currency, and any price with `outsideBand`: the bounds of one person follow what two have agreed on. Refused while an override is in force.',
      body: {
        price: Price,
        'source?': Type.Printable(
          100,
          'Where it comes from: not the name of a source of the currency, `override`, `override-end` or `demo`. Default: `manual`.',
        ),
        'maxAgeMs?': Type.OrNull(Type.Bounded(second, 366 * day), {
          description: 'How long to use it; `null`, the default, for until the next rate is set.',
          kind: 'span',
        }),
        'outsideBand?': OutsideBand,
      },
      answer: RateAnswer,
      refusals: ['invalid_state', 'rate_outside_band', 'second_person_required'],
      command: {
        arguments: ['price'],
        says: (rate, { time }) =>
          rate.proposed === true
            ? describeProposal(rate)
            : `1 USDT = ${rate.price} ${rate.currency}, until ${time(rate.validUntil) ?? 'the next rate'}.`,
      },
    }),
    list: operation('GET /rates', 'read', {
      id: 'listRates',
      summary: 'List the current rates',
      description: 'By currency, with their age; and the prices that wait for another operator.',
      answer: {
        rates: Type.Array(RateAnswer),
        proposals: inColumns(Type.Array(ProposalAnswer), [
          ...(['currency', 'price', 'source', 'proposedBy', 'proposedAt', 'endsAt'] as const),
          { heading: 'Agree by', show: agreeingCommand, kind: 'word' },
        ]),
      },
      exports: 'rates',
      command: {
        columns: ['currency', 'price', 'source', 'createdAt', 'validUntil', { heading: 'Usable', show: whereUsable }],
        empty: 'No rates yet, so no payment can be created. Set one: payin rates set rub 92.5',
        note: ({ proposals }) =>
          proposals.length > 0 ? 'A proposed price is used once another operator agrees, within a day.' : undefined,
      },
    }),
    'paid-shares': operation('GET /rates/paid-shares', 'read', {
      id: 'listPaidShares',
      summary: "Compare how many payments are paid with the rate's move since their creation",
      description:
        'Of each live merchant, its last 5000 payments of 30 days whose time is over. Payers who pay only if the rate has moved in their favour use the locked rate as a free option.',
      answer: { merchants: Type.Array(PaidSharesAnswer) },
      exports: 'merchants',
      command: {
        columns: [
          ...(['merchantId', 'favoured'] as const),
          { heading: 'Paid %', show: (shares) => percentsPaid(shares).favoured, kind: 'number' },
          'others',
          { heading: 'Others paid %', show: (shares) => percentsPaid(shares).others, kind: 'number' },
        ],
        empty: 'No payment of a live merchant has ended within 30 days.',
      },
    }),
    history: operation('GET /rates/{currency}/history', 'read', {
      id: 'listRateHistory',
      summary: "Show the history of a currency's rate",
      description:
        'At most about 360 points; of more rates, the last, the lowest and the highest in each of equally long spans: no price can hide between two points.',
      query: { 'within?': Type.OneOf(['1d', '7d', '31d'], 'Default: `1d`.') },
      answer: HistoryAnswer,
      exports: 'points',
    }),
  },
} satisfies Noun<unknown>

export const rateOverrides = {
  about: 'Your own rate until a time; it overrides all sources.',
  examples: ['payin rates override set rub 95 --until 2h --reason "the exchange is closed"'],
  usual: 'list',
  operations: {
    list: operation('GET /rate-overrides', 'read', {
      id: 'listRateOverrides',
      summary: 'List the overrides of rates that are in force',
      description: 'Each with its end.',
      answer: { overrides: Type.Array(OverrideAnswer) },
      exports: 'overrides',
      command: {
        columns: ['currency', 'price', 'endsAt', 'setBy', 'reason'],
        empty: 'No override is in force. Set one: payin rates override set rub 95 --until 2h --reason <why>',
      },
    }),
    set: operation('PUT /rates/{currency}/override', 'account', {
      id: 'setRateOverride',
      summary: 'Set the rate of a currency until a time, whatever its sources say',
      description:
        'When it ends, the sources set the rate again, or the rate before it returns. If that rate is outside the band around the override in force, and two people may set rates, another one needs a second person, too.',
      body: {
        price: Type.Number({ exclusiveMinimum: 0, description: 'Price of 1 USDT, at most 8 decimals.' }),
        until: presented(Time, { description: 'When it ends.', kind: 'deadline' }),
        reason: Reason,
        'outsideBand?': OutsideBand,
      },
      answer: OverrideAnswer,
      refusals: ['rate_outside_band', 'second_person_required'],
      command: {
        arguments: ['price'],
        says: (override, { time }) =>
          override.proposed === true
            ? describeProposal(override)
            : `1 USDT = ${override.price} ${override.currency}, until ${time(override.endsAt)}.`,
      },
    }),
    end: operation('DELETE /rates/{currency}/override', 'account', {
      id: 'endRateOverride',
      summary: 'End the override of a rate',
      description:
        'The sources set the rate again; without a price of theirs, the last rate that is not an override. If there is none that may still be used, no payment can be created until a rate is set. If that rate is outside the band around the override, and two people may set rates, a second one ends it, too, within a day.',
      answer: {
        currency: Type.String(),
        'proposed?': Type.Flag('The override goes on until another operator ends it, too.'),
      },
      refusals: ['rate_outside_band', 'resource_not_found', 'second_person_required'],
      command: {
        says: ({ currency, proposed }) =>
          proposed === true
            ? `Proposed: the override of ${currency} ends once another operator ends it, too, within a day.`
            : `The override of ${currency} has ended.`,
      },
    }),
  },
} satisfies Noun<unknown>
