import { amountRefusals } from '../../operations/operator-fields.ts'
import { Type } from '../../operations/schema.ts'
import type { Tx } from '../../engine/context.ts'
import { linkStates } from '../../rules/payments/payment-link.ts'
import { closeLink, createLink } from '../../engine/links/link.ts'
import { getLink, listLinks } from '../../engine/links/read.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { actorOf, merchantActorOf } from '../access/act-on-behalf.ts'
import { Id, NoBody } from '../../operations/fields.ts'
import { merchantSide, operatorSide, routesOfSides, type Side } from '../notifications/side.ts'
import { readPage } from '../routes/lists.ts'
import { pageOf, PageQuery } from '../../operations/lists.ts'
import { LinkAnswer, NewLink, readLinkWish, toLinkAnswer } from './link-fields.ts'

export const LinkQuery = {
  ...PageQuery,
  state: Type.Optional(Type.OneOf(linkStates, 'Only links in this state, among the newest 10,000.')),
}

const own = { linkId: Id }

/** Payment links of one merchant. */
export const linkRoutes = routesOfSides()

linkRoutes.post('/links', ['payments:write', 'support'], {
  id: 'createLink',
  summary: 'Create a payment link',
  description:
    'A page where payers start payments; you need no server. Give its `url` to one payer or to many: each gets a separate payment, which needs no acknowledgement.',
  body: NewLink,
  status: 201,
  answer: LinkAnswer,
  refusals: [...amountRefusals, 'amount_below_min', 'currency_not_supported'],
  handle: async (side, request) => {
    const { context } = side
    const profile = await getProfile(context, await side.merchantOf(request))
    const actor = side.by === 'operator' ? actorOf(request) : merchantActorOf(request)
    const wish = readLinkWish(request.body, actor)
    const created = await side.act(request, (tx: Tx) => createLink(tx, profile, wish), {
      action: 'link.create',
      subject: ({ id }) => `link:${id}`,
      details: { merchantId: profile.merchant.id, ...request.body },
    })
    return toLinkAnswer(context, created)
  },
})

linkRoutes.get('/links', ['payments:read', 'read'], {
  id: 'listLinks',
  summary: 'List payment links',
  description: 'Newest first, with their state and number of payments.',
  query: LinkQuery,
  answer: pageOf('links', LinkAnswer),
  exports: 'links',
  handle: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    const { state = null } = request.query
    return readPage(
      'links',
      request.query,
      (span) => listLinks(side.context, { merchantId, state, ...span }),
      (link) => toLinkAnswer(side.context, link),
    )
  },
})

linkRoutes.get('/links/:linkId', ['payments:read', 'read'], {
  id: 'getLink',
  summary: 'Read a payment link',
  description: 'With its state. Its payments are listed by `GET /payments?linkId=…`.',
  params: own,
  answer: LinkAnswer,
  refusals: ['resource_not_found'],
  handle: async (side, request) => {
    const { context } = side
    const merchantId = await side.merchantOf(request)
    return toLinkAnswer(context, await getLink(context, merchantId, request.params.linkId, context.clock()))
  },
})

linkRoutes.post('/links/:linkId/close', ['payments:write', 'support'], {
  id: 'closeLink',
  summary: 'Close a payment link',
  description: 'Permanently: nobody can start a payment from it any more. Payments that were started continue.',
  params: own,
  body: NoBody,
  answer: LinkAnswer,
  refusals: ['resource_not_found'],
  handle: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    const id = request.params.linkId
    const act = { action: 'link.close', subject: `link:${id}`, details: { merchantId } }
    return toLinkAnswer(side.context, await side.act(request, (tx) => closeLink(tx, merchantId, id), act))
  },
})

/** A merchant and its own links. */
export const merchantLinks = (context: Parameters<typeof merchantSide>[0]): Side => ({
  ...merchantSide(context),
  tag: 'links',
})

/** An operator and the links of the merchant in the path. */
export const operatorLinks = operatorSide
