import { type Static, Type } from '../../operations/schema.ts'
import { scopes } from '../../rules/members/access.ts'
import { merchantModes } from '../../rules/merchants/merchant.ts'
import { Id } from '../../operations/fields.ts'
import { routesForAll } from '../routes/routes.ts'

const MerchantCallerAnswer = Type.Titled('Caller', {
  merchantId: Id,
  name: Type.Text('Name of the merchant.', 'Demo Shop'),
  mode: Type.OneOf(merchantModes),
  scopes: Type.Array(Type.OneOf(scopes), {
    description: 'What the caller may do. Each operation names the scope that it needs in `x-scope`.',
    examples: [['payments:read', 'payments:write', 'notifications:read']],
  }),
  'member?': Type.Text(
    "The merchant's member who is signed in to the console; absent if a token is used.",
    'anna@shop.example.com',
  ),
})

/** Who calls the merchant API. */
export type MerchantCallerAnswer = Static<typeof MerchantCallerAnswer>

/** Who the caller is; any caller may ask, whatever its scopes. */
export const ownMerchantRoute = routesForAll('payments', 'merchant').get('/me', null, {
  id: 'getOwnMerchant',
  summary: 'Show the merchant that the access token belongs to, and what the token may do',
  description: 'A first call to check that a token works. Every token may make it.',
  answer: MerchantCallerAnswer,
  handle: (_context, { caller }) => ({
    ...{ ...caller.profile.merchant, merchantId: caller.merchantId },
    ...{ scopes: caller.scopes, member: caller.member },
  }),
})
