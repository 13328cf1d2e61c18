import type { Tx } from '../../engine/context.ts'
import { closeLink, createLink } from '../../engine/links/link.ts'
import { getLink, listLinks } from '../../engine/links/read.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { actorOf, merchantActorOf } from '../access/act-on-behalf.ts'
import { allLinks, links } from '../../operations/links.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { bindSides, merchantSide, type Side } from '../notifications/side.ts'
import { readPage } from '../routes/lists.ts'
import { readLinkWish, toLinkAnswer } from './link-fields.ts'

export const linkRoutes = bindSides(links.operations, {
  create: async (side, request) => {
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
  list: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    const { state = null } = request.query
    return readPage(
      'links',
      request.query,
      (span) => listLinks(side.context, { merchantId, state, ...span }),
      (link) => toLinkAnswer(side.context, link),
    )
  },
  get: async (side, request) => {
    const { context } = side
    const merchantId = await side.merchantOf(request)
    return toLinkAnswer(context, await getLink(context, merchantId, request.params.linkId, context.clock()))
  },
  close: async (side, request) => {
    const merchantId = await side.merchantOf(request)
    const id = request.params.linkId
    const act = { action: 'link.close', subject: `link:${id}`, details: { merchantId } }
    return toLinkAnswer(side.context, await side.act(request, (tx) => closeLink(tx, merchantId, id), act))
  },
})

/** Payment links of all merchants. */
export const allLinksRoute = bindOperations(allLinks, {
  list: (context, { query }) => {
    const { merchantId = null, state = null, ...page } = query
    return readPage(
      'links',
      page,
      (span) => listLinks(context, { merchantId, state, ...span }),
      (link) => toLinkAnswer(context, link),
    )
  },
})

/** A merchant and its own links. */
export const merchantLinks = (context: Parameters<typeof merchantSide>[0]): Side => ({
  ...merchantSide(context),
  tag: 'links',
})
