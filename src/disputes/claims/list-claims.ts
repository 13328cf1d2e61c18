import type { Queryable } from '../../database/database.ts'
import { type Receipt, listReceiptsOf } from './list-receipts-of.ts'
import { listClaims as list } from './store.ts'

/** A claim as the operator sees it. */
export type ListedClaim = {
  readonly merchantId: string
  readonly paymentId: string
  readonly id: string
  readonly amount: bigint
  readonly paidAt: number
  readonly receivedAt: number
  readonly receipts: readonly Receipt[]
}

/** A page of the payers' claims with their receipts, the newest first. */
export const listClaims = async (sql: Queryable, before: string | null, limit: number): Promise<ListedClaim[]> => {
  const claims = await sql.query(list, { before, limit })
  const receipts = await listReceiptsOf(sql, claims)
  return claims.map((claim) => ({
    ...claim,
    receipts: receipts.filter((each) => each.paymentId === claim.paymentId),
  }))
}
