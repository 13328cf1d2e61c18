import type { Context } from '../context.ts'
import type { PayerKind, RiskBlock } from '../domain/risk.ts'
import { payerFingerprint } from './identify-payers.ts'
import { listBlocks as list } from './store.ts'

/** A page of blocks, the newest first: all, or those of one value, which finds the entries of a payer. */
export const listBlocks = (
  context: Context,
  before: string | null,
  limit: number,
  payer?: { readonly kind: PayerKind; readonly merchantId: string | null; readonly value: string },
): Promise<RiskBlock[]> => {
  const payerIndexes = payer
    ? context.vault.blindIndexes(...payerFingerprint(payer.kind, payer.merchantId, payer.value))
    : null
  return context.query(list, { before, payerIndexes, limit })
}
