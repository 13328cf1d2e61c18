import { listLinks } from '../../engine/links/read.ts'
import { toLinkAnswer } from '../links/link-fields.ts'
import { readPage } from '../routes/lists.ts'
import { allLinks } from '../../operations/links.ts'
import { bindOperations } from '../routes/bind-operations.ts'

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
