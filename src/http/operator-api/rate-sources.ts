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
import { actOnBehalf, actOnNamed, agreeingOf } from '../access/act-on-behalf.ts'
import { type RateSourceChange, rateSources } from '../../operations/rate-sources.ts'
import { readPage } from '../routes/lists.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'

const toAnswer = (source: RateSource) => ({ ...source, url: source.url && maskAddress(source.url) })

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
  ) => {
    const { id } = request.params
    const price = readBody((read) => read.price(request.body, 'price'))
    const decide = async (tx: Tx): Promise<RateSource> =>
      decideHeldPrice(tx, id, { price, accepted: word === 'accept' }, await agreeingOf(context, request, tx))
    return toAnswer(await actOnNamed(context, request, `rate-source.${word}`, decide))
  }

export const rateSourceRoutes = bindOperations(rateSources.operations, {
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
    const update = (tx: Tx) => updateRateSource(tx, policyOf(context), id, change)
    return toAnswer(await actOnNamed(context, request, 'rate-source.update', update, withoutKey(request.body)))
  },
  remove: async (context, request) => {
    const { id } = request.params
    await actOnNamed(context, request, 'rate-source.remove', (tx) => removeRateSource(tx, id))
    return { id }
  },
  accept: decideHeld('accept'),
  refuse: decideHeld('refuse'),
  history: (context, { params, query }) =>
    readPage('fetches', query, (span) => listFetches(context, { sourceId: params.id, ...span })),
})
