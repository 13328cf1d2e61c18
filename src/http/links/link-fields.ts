import type { Static } from '../../operations/schema.ts'
import type { Context } from '../../engine/context.ts'
import type { LinkWish } from '../../rules/payments/payment-link.ts'
import { type CountedLink, linkUrl } from '../../engine/links/read.ts'
import type { NewLink } from '../../operations/links.ts'
import { readBody } from '../routes/read-body.ts'

/** Who created a link, without the names of operators, which are not the merchant's business. */
const creatorOf = (createdBy: string): string => {
  const [kind = '', name = ''] = createdBy.split(':')
  if (kind === 'member') return name
  return kind === 'merchant' ? 'token' : kind
}

/** A link as its merchant and operators see it. */
export const toLinkAnswer = (context: Context, link: CountedLink) => ({
  ...link,
  url: linkUrl(context, link.id),
  uses: link.maxUses === 1 ? ('once' as const) : ('many' as const),
  maxUses: link.maxUses === 1 ? null : link.maxUses,
  payments: link,
  createdBy: creatorOf(link.createdBy),
})

/** What a body asks for. Refuses `validation_failed` and `amount_*`. */
export const readLinkWish = (body: Static<typeof NewLink>, createdBy: string): LinkWish =>
  readBody((reader) => {
    const { title, currency, description = null, method = null, returnUrl = null, uses = 'once' } = body
    const { maxUses, endsAt, metadata = {} } = body
    if (uses === 'once' && maxUses !== undefined) reader.wrong('maxUses', 'is only for links with uses "many".')
    if (uses === 'many' && maxUses === 1) reader.wrong('maxUses', 'must be at least 2; for one payment use "once".')
    const read = (field: 'amount' | 'minAmount' | 'maxAmount'): bigint | null =>
      body[field] === undefined ? null : reader.amount(body, field, currency)
    return {
      title,
      description,
      currency,
      method,
      returnUrl,
      createdBy,
      amount: read('amount'),
      minAmount: read('minAmount'),
      maxAmount: read('maxAmount'),
      maxUses: uses === 'once' ? 1 : (maxUses ?? null),
      endsAt: endsAt === undefined ? null : reader.instant(endsAt, 'endsAt'),
      metadata: Object.keys(metadata).length > 0 ? metadata : null,
    }
  })
