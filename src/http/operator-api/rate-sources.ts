import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import type { EndpointPolicy } from '../../rules/notices/endpoint.ts'
import { maskAddress } from '../../rules/values/masking.ts'
import { rateSourceDefaults, type RateSource, type RateSourceWish } from '../../rules/money/rate-source.ts'
import {
  addRateSource,
  decideHeldPrice,
  listFetches,
  listRateSources,
  removeRateSource,
  updateRateSource,
} from '../../engine/merchants/rates/sources/source.ts'
import { actOnBehalf, agreeingOf } from '../access/act-on-behalf.ts'
import { wire } from '../../operations/fields.ts'
import { type RateSourceAnswer, type RateSourceChange, rateSources } from '../../operations/rate-sources.ts'
import { readPage } from '../routes/lists.ts'
import { bindNoun } from '../routes/bind-noun.ts'
import { readBody } from '../routes/read-body.ts'

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

const policyOf = ({ settings: { outboundLoopback }, webhooks }: Context): EndpointPolicy => ({
  loopbackAllowed: outboundLoopback,
  mayBePublic: (hostname) => webhooks.mayReach(hostname),
})

/**
 * Reads the settings of a source from a request; `holder` is the parsed body itself, for which the digits of the price
 * are kept.
 */
const readWish = ({ price, ...given }: RateSourceChange, holder: object): Partial<RateSourceWish> =>
  price === undefined ? given : { ...given, fixedPrice: readBody((read) => read.price(holder, 'price')) }

/** What the audit records of the settings of a source. */
const withoutKey = <T extends { readonly url?: string }>({ url, ...details }: T) => ({
  ...details,
  ...(url === undefined ? {} : { url: maskAddress(url) }),
})

const decideHeld =
  (word: 'accept' | 'refuse') =>
  async (
    context: Context,
    request: FastifyRequest<{ Params: { readonly id: string }; Body: { readonly price: number } }>,
  ): Promise<RateSourceAnswer> => {
    const { id } = request.params
    const price = readBody((read) => read.price(request.body, 'price'))
    const decide = async (tx: Tx): Promise<RateSource> =>
      decideHeldPrice(tx, id, { price, accepted: word === 'accept' }, await agreeingOf(context, request, tx))
    const act = { action: `rate-source.${word}`, subject: `rate-source:${id}`, details: request.body }
    return toAnswer(await actOnBehalf(context, request, decide, act))
  }

export const rateSourceRoutes = bindNoun(rateSources, {
  list: async (context) => ({ sources: (await listRateSources(context)).map(toAnswer) }),
  add: async (context, request) => {
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
  update: async (context, request) => {
    const { id } = request.params
    const change = readWish(request.body, request.body)
    const act = { action: 'rate-source.update', subject: `rate-source:${id}`, details: withoutKey(request.body) }
    return toAnswer(
      await actOnBehalf(context, request, (tx) => updateRateSource(tx, policyOf(context), id, change), act),
    )
  },
  remove: async (context, request) => {
    const { id } = request.params
    const act = { action: 'rate-source.remove', subject: `rate-source:${id}`, details: {} }
    await actOnBehalf(context, request, (tx) => removeRateSource(tx, id), act)
    return { id }
  },
  accept: decideHeld('accept'),
  refuse: decideHeld('refuse'),
  history: (context, request) =>
    readPage(
      'fetches',
      request.query,
      (span) => listFetches(context, request.params.id, span),
      ({ at, price, ...fetch }) =>
        wire.fields({ ...fetch, at: wire.time(at), price: price === null ? null : wire.price(price) }),
    ),
})
