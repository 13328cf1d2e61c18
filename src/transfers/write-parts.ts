import type { Tx } from '../context.ts'
import type { LockedTransfer } from './lock-transfer.ts'
import { addParts, endParts, openCase, resolveCase, type TransferPart } from './store.ts'

/** Who decides about a transfer, and why. */
export type Decider = { readonly actor: string; readonly note: string | null }

/** A part of a transfer as its decider makes it. */
export const decidedPart = (
  kind: TransferPart['kind'],
  amount: bigint,
  payment: { readonly merchantId: string; readonly id: string } | null,
  outcome: TransferPart['outcome'],
  { actor, note }: Decider,
): TransferPart => ({
  kind,
  amount,
  reversedAmount: 0n,
  merchantId: payment?.merchantId ?? null,
  paymentId: payment?.id ?? null,
  outcome,
  reasons: note === null ? [] : [note],
  by: actor,
  note,
})

/** How the case of a transfer with these parts ended; `null` where nobody decided it. */
const resolutionOf = (parts: readonly TransferPart[]): 'assigned' | 'ignored' | null => {
  const left = parts.filter(({ kind }) => kind !== 'reversed')
  if (left.length === 0) return null
  return left.every(({ kind }) => kind === 'ignored' || kind === 'duplicate') ? 'ignored' : 'assigned'
}

/** Replaces the parts of a locked transfer, and opens or resolves its case by what waits in the inbox then. */
export const writeParts = async (
  tx: Tx,
  { requisiteId, id: transferId }: LockedTransfer,
  parts: readonly TransferPart[],
  { actor: by, note }: Decider,
): Promise<void> => {
  const key = { requisiteId, transferId, now: tx.now }
  await tx.query(endParts, key)
  await tx.query(addParts, { ...key, rows: parts })
  if (parts.some(({ kind }) => kind === 'suspense')) await tx.query(openCase, { ...key, note })
  else await tx.query(resolveCase, { ...key, resolution: resolutionOf(parts), by, note })
}
