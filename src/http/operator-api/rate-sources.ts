import { type Static, Type } from '../../operations/schema.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { type EndpointPolicy, maxUrlLength } from '../../rules/notices/endpoint.ts'
import { maskAddress } from '../../rules/values/masking.ts'
import {
  rateSourceBounds,
  rateSourceDefaults,
  rateSourceKinds,
  type RateSource,
  type RateSourceWish,
} from '../../rules/money/rate-source.ts'
import {
  addRateSource,
  decideHeldPrice,
  listFetches,
  listRateSources,
  removeRateSource,
  updateRateSource,
} from '../../engine/merchants/rates/sources/source.ts'
import { actOnBehalf, agreeingOf } from '../act-on-behalf.ts'
import { Currency, Id, IdParams, Time, wire } from '../../operations/fields.ts'
import { readPage } from '../lists.ts'
import { pageOf, PageQuery } from '../../operations/lists.ts'
import { amountRefusals, readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'

const Price = Type.Number({
  exclusiveMinimum: 0,
  description: 'Price of 1 USDT, at most 8 decimals.',
  examples: [92.5],
})
const whole = ([minimum, maximum]: readonly [number, number], description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }))

const settings = {
  name: Type.Optional(Type.Printable(100, { examples: ['exchange'] })),
  rank: whole(rateSourceBounds.rank, 'Sources of a currency are used in this order. Default: 1.'),
  url: Type.Optional(
    Type.String({ minLength: 1, maxLength: maxUrlLength, description: 'For a JSON source: its https address.' }),
  ),
  pointer: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'For a JSON source: the JSON pointer (RFC 6901) to the price, a number or its digits as text.',
      examples: ['/data/0/price'],
    }),
  ),
  price: Type.Optional(Price, 'For a fixed source: the price of 1 USDT.'),
  spreadPpm: whole(rateSourceBounds.spreadPpm, 'Added to the price, in millionths of it. Default: 0.'),
  maxStepPpm: whole(
    rateSourceBounds.maxStepPpm,
    'A price that differs from the last rate by more than this, in millionths of it, waits for an operator. Default: 30000.',
  ),
  maxDayPpm: whole(
    rateSourceBounds.maxDayPpm,
    "Like `maxStepPpm`, but compared with the rate of a day ago, or with an operator's decision since then. Default: 100000.",
  ),
  everyMs: whole(rateSourceBounds.everyMs, 'How often it is fetched. Default: a minute.'),
  maxAgeMs: whole(rateSourceBounds.maxAgeMs, 'How long a price may be used. Default: ten minutes.'),
  enabled: Type.Optional(Type.Boolean()),
}

const SourceAnswer = Type.Titled('RateSource', {
  id: Id,
  currency: Type.String(),
  kind: Type.OneOf(rateSourceKinds),
  name: Type.String(),
  rank: Type.Integer(),
  url: Type.Optional(Type.Text('Without its path and query, which may contain a key.', 'https://rates.example.com/…')),
  pointer: Type.Optional(Type.String()),
  spreadPpm: Type.Integer(),
  maxStepPpm: Type.Integer(),
  maxDayPpm: Type.Integer(),
  everyMs: Type.Integer(),
  maxAgeMs: Type.Integer(),
  enabled: Type.Boolean(),
  price: Type.Optional(Type.Number({ description: 'Its last usable price, with the spread.' })),
  pricedAt: Type.Optional(Time),
  heldPrice: Type.Optional(Type.Number({ description: 'A price that waits for an operator.' })),
  heldSince: Type.Optional(Time),
  failingSince: Type.Optional(Time),
  lastError: Type.Optional(Type.String()),
})

/** A source of rates. */
export type RateSourceAnswer = Static<typeof SourceAnswer>

const toAnswer = ({
  fixedPrice: _fixed,
  nextFetchAt: _next,
  decidedAt: _decided,
  ...source
}: RateSource): RateSourceAnswer =>
  wire.fields({
    ...source,
    url: source.url === null ? null : maskAddress(source.url),
    price: source.price === null ? null : wire.price(source.price),
    heldPrice: source.heldPrice === null ? null : wire.price(source.heldPrice),
    heldSince: wire.time(source.heldSince),
    failingSince: wire.time(source.failingSince),
  })

const FetchAnswer = Type.Titled('RateFetch', {
  id: Id,
  at: Time,
  outcome: Type.OneOf(['accepted', 'held', 'failed', 'refused']),
  price: Type.Optional(Type.Number()),
  error: Type.Optional(Type.String()),
  decidedBy: Type.Optional(Type.String()),
})

export type RateFetchAnswer = Static<typeof FetchAnswer>

const policyOf = ({ settings: { outboundLoopback }, webhooks }: Context): EndpointPolicy => ({
  loopbackAllowed: outboundLoopback,
  mayBePublic: (hostname) => webhooks.mayReach(hostname),
})

const Change = Type.Exact(settings, { minProperties: 1 })

/**
 * Reads the settings of a source from a request; `holder` is the parsed body itself, for which the digits of the price
 * are kept.
 */
const readWish = ({ price, ...given }: Static<typeof Change>, holder: object): Partial<RateSourceWish> =>
  price === undefined ? given : { ...given, fixedPrice: readBody((read) => read.price(holder, 'price')) }

/** What the audit records of the settings of a source. */
const withoutKey = <T extends { readonly url?: string }>({ url, ...details }: T) => ({
  ...details,
  ...(url === undefined ? {} : { url: maskAddress(url) }),
})

/** Sources of rates. */
export const rateSourceRoutes = routesForOperators()

rateSourceRoutes.get('/rate-sources', 'read', {
  id: 'listRateSources',
  summary: 'List the sources of rates',
  description: 'By currency and rank.',
  answer: { sources: Type.Array(SourceAnswer) },
  exports: 'sources',
  handle: async (context) => ({ sources: (await listRateSources(context)).map(toAnswer) }),
})

rateSourceRoutes.post('/rate-sources', 'configure', {
  id: 'addRateSource',
  summary: 'Add a source of rates',
  description: 'If a currency has several sources, the first by rank that has a price sets the rate.',
  body: { currency: Currency, kind: Type.OneOf(rateSourceKinds), ...settings, name: Type.Printable(100) },
  status: 201,
  answer: SourceAnswer,
  refusals: ['already_exists', ...amountRefusals, 'invalid_state'],
  handle: async (context, request) => {
    const { currency, kind, name, ...given } = request.body
    const unset = { url: null, pointer: null, fixedPrice: null, enabled: true }
    const wish = { ...rateSourceDefaults, ...unset, ...readWish(given, request.body), name }
    const add = actOnBehalf(context, request, (tx) => addRateSource(tx, policyOf(context), { currency, kind }, wish), {
      action: 'rate-source.add',
      subject: ({ id }) => `rate-source:${id}`,
      details: withoutKey(request.body),
    })
    return toAnswer(await add)
  },
})

rateSourceRoutes.patch('/rate-sources/:id', 'configure', {
  id: 'updateRateSource',
  summary: 'Change a source of rates',
  description:
    'Omitted fields do not change, nor does the address if it is sent as lists show it. A JSON source is fetched again, and has no price until then.',
  params: IdParams,
  body: Change,
  answer: SourceAnswer,
  refusals: ['already_exists', ...amountRefusals, 'resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const change = readWish(request.body, request.body)
    const act = { action: 'rate-source.update', subject: `rate-source:${id}`, details: withoutKey(request.body) }
    return toAnswer(
      await actOnBehalf(context, request, (tx) => updateRateSource(tx, policyOf(context), id, change), act),
    )
  },
})

rateSourceRoutes.delete('/rate-sources/:id', 'configure', {
  id: 'removeRateSource',
  summary: 'Remove a source of rates',
  description: 'The rate that it has set stays until it ends.',
  params: IdParams,
  answer: { id: Id },
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const act = { action: 'rate-source.remove', subject: `rate-source:${id}`, details: {} }
    await actOnBehalf(context, request, (tx) => removeRateSource(tx, id), act)
    return { id }
  },
})

for (const [word, accepted, summary] of [
  ['accept', true, 'Accept a waiting price as the rate from now on'],
  ['refuse', false, 'Refuse a waiting price'],
] as const) {
  rateSourceRoutes.post(`/rate-sources/:id/${word}`, 'account', {
    id: `${word}HeldRate`,
    summary,
    description:
      'Send the price that you saw: refused with `invalid_state` if another price waits by now, or none. As for `setRate`, two people must accept a price outside the band; until then it goes on waiting.',
    params: IdParams,
    body: { price: Price },
    answer: SourceAnswer,
    refusals: [...amountRefusals, 'invalid_state', 'rate_outside_band', 'resource_not_found', 'second_person_required'],
    handle: async (context, request) => {
      const { id } = request.params
      const price = readBody((read) => read.price(request.body, 'price'))
      const decide = async (tx: Tx): Promise<RateSource> =>
        decideHeldPrice(tx, id, { price, accepted }, await agreeingOf(context, request, tx))
      const act = { action: `rate-source.${word}`, subject: `rate-source:${id}`, details: request.body }
      return toAnswer(await actOnBehalf(context, request, decide, act))
    },
  })
}

rateSourceRoutes.get('/rate-sources/:id/fetches', 'read', {
  id: 'listRateFetches',
  summary: 'List the prices fetched from a source of rates',
  description: 'Newest first.',
  params: IdParams,
  query: PageQuery,
  answer: pageOf('fetches', FetchAnswer),
  exports: 'fetches',
  handle: (context, request) =>
    readPage(
      'fetches',
      request.query,
      (span) => listFetches(context, request.params.id, span),
      ({ at, price, ...fetch }) =>
        wire.fields({ ...fetch, at: wire.time(at), price: price === null ? null : wire.price(price) }),
    ),
})
