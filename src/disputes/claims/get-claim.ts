import type { Queryable } from '../../database/database.ts'
import type { PayerClaim } from '../../domain/claim.ts'
import type { Instant } from '../../domain/time.ts'
import { findClaim } from './store.ts'

/** What the payer of a payment claims; `undefined` when it claims nothing. */
export const getClaim = async (
  sql: Queryable,
  merchantId: string,
  paymentId: string,
): Promise<(PayerClaim & { readonly receivedAt: Instant }) | undefined> =>
  (await sql.query(findClaim, { merchantId, paymentId }))[0]
