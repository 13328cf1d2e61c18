import { type Static, Type } from '../../operations/schema.ts'
import { listLinks } from '../../engine/links/read.ts'
import { Id } from '../../operations/fields.ts'
import { LinkAnswer, toLinkAnswer } from '../links/link-fields.ts'
import { LinkQuery } from '../links/links.ts'
import { readPage } from '../routes/lists.ts'
import { pageOf } from '../../operations/lists.ts'
import { routesForOperators } from '../routes/routes.ts'
import { ofMerchant } from '../../operations/operator-fields.ts'

const OperatorLink = Type.Titled('OperatorPaymentLink', { ...ofMerchant, ...LinkAnswer.properties })

/** A payment link as operators see it. */
export type OperatorLink = Static<typeof OperatorLink>

/** Payment links of all merchants. */
export const allLinksRoute = routesForOperators().get('/links', 'read', {
  id: 'listAllLinks',
  summary: 'List payment links of all merchants or of one',
  description: 'Newest first, with their state and number of payments.',
  query: { ...LinkQuery, merchantId: Type.Optional(Id) },
  answer: pageOf('links', OperatorLink),
  exports: 'links',
  handle: (context, { query }) => {
    const { merchantId = null, state = null, ...page } = query
    return readPage(
      'links',
      page,
      (span) => listLinks(context, { merchantId, state, ...span }),
      (link) => ({ merchantId: link.merchantId, ...toLinkAnswer(context, link) }),
    )
  },
})
