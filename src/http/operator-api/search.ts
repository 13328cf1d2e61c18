import { search as searchAll } from '../../engine/search/search.ts'
import { readSpan } from '../routes/lists.ts'
import { defaultLimit, search } from '../../operations/search.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readTypedName } from '../../rules/values/id-text.ts'
import { merchantDirectory } from '../../engine/merchants/merchant-directory.ts'
import { requisitePool } from '../../engine/requisites/requisite-pool.ts'
import { mayDo } from '../../rules/members/access.ts'
import { Refusal, refuseField } from '../../rules/refusal.ts'
import { findNamed, type Named } from './find-named.ts'

/** Most candidates that a refusal lists. */
const mostShown = 5

const ambiguous = (
  kind: string,
  name: string,
  found: readonly Named[],
  nameOfMerchant: (id: string) => string,
  nameOfRequisite: (id: string) => string,
): Refusal => {
  const candidates = found.slice(0, mostShown).map(({ id, merchantId, requisiteId, about }) => {
    const owners = [
      ...(merchantId && kind !== 'merchant' ? [nameOfMerchant(merchantId)] : []),
      ...(requisiteId && kind !== 'requisite' ? [nameOfRequisite(requisiteId)] : []),
    ]
    return { id, about: [...about, ...owners].join(', ') }
  })
  const more = found.length > mostShown ? ' There are more.' : ''
  return new Refusal('ambiguous', `"${name}" matches more than one ${kind}; name one of the candidates.${more}`, {
    extra: { candidates },
  })
}

/** Search over everything, and names of things. */
export const searchRoutes = bindOperations(search, {
  find: async (context, { role, query: { q, limit, ...span } }) => {
    const { from, to } = readSpan(span)
    if (q === undefined && from === null && to === null)
      throw refuseField('q', 'is needed, unless there is from or to.')
    const mayReveal = mayDo(role, 'reveal')
    return { results: await searchAll(context, q ?? '', mayReveal, { from, to }, Number(limit ?? defaultLimit)) }
  },
  resolve: async (context, request) => {
    const { kind, text, merchantId, requisiteId } = request.query
    const merchants = await context.catalog.get(merchantDirectory)
    const { byId: requisites } = await context.catalog.get(requisitePool)
    const found: readonly Named[] = await findNamed[kind](context, {
      ...readTypedName(text),
      mayReveal: mayDo(request.role, 'reveal'),
      merchantIds: merchantId === undefined ? [...merchants.keys()] : [merchantId],
      requisiteIds: requisiteId === undefined ? [...requisites.keys()] : [requisiteId],
    })
    const exact = found.filter(({ about }) => about.includes(text))
    const [only, ...others] = exact.length > 0 ? exact : found
    if (!only) {
      throw new Refusal(
        kind === 'payment' ? 'payment_not_found' : 'resource_not_found',
        `There is no ${kind} "${text}".`,
      )
    }
    if (others.length > 0) {
      const nameOfMerchant = (id: string): string => merchants.get(id)?.merchant.name ?? id
      const nameOfRequisite = (id: string): string =>
        requisites.get(id)?.label ?? requisites.get(id)?.numberMasked ?? id
      throw ambiguous(kind, text, found, nameOfMerchant, nameOfRequisite)
    }
    return { ...only, kind }
  },
})
