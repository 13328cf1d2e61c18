import type { Tx, Context } from '../context.ts'
import { maxVelocityWindowMs } from '../../rules/merchants/risk.ts'
import type { RenewedIndex } from '../../secrets/vault.ts'
import { payerIndexes } from './identify-payers.ts'
import { copyUses, deleteUsesOf, listUsesAfter, deletePayers, deleteUses } from './store.ts'

const rowsAtOnce = 500
const nobody = '00000000-0000-0000-0000-000000000000'
const beginning = ['', '', nobody, nobody]

/** Copies what was counted under former hashes of payers to their current ones. */
export const moveUses = async (tx: Tx, changed: readonly Pick<RenewedIndex, 'before' | 'after'>[]): Promise<void> => {
  const rows = [...new Map(changed.map((each) => [each.before, each])).values()]
  if (rows.length === 0) return
  await tx.query(copyUses, { rows })
  await tx.query(deleteUsesOf, { payerIndexes: rows.map(({ before }) => before) })
}

/**
 * Hashes the users of the counted payments after a position with the first key; `position` is the last of them, or null
 * at the end. Numbers are renewed with their payments and transfers.
 */
export const renewUses = async (tx: Tx, position: readonly string[] | null) => {
  const [payerIndex = '', kind = '', merchantId = nobody, paymentId = nobody] = position ?? beginning
  const uses = await tx.query(listUsesAfter, { payerIndex, kind, merchantId, paymentId, limit: rowsAtOnce })
  const changed = uses.flatMap((use) => {
    if (use.userId === null) return []
    const [after = '', ...older] = payerIndexes(tx.vault, 'user', use.merchantId, use.userId)
    return older.includes(use.payerIndex) ? [{ before: use.payerIndex, after }] : []
  })
  await moveUses(tx, changed)
  const last = uses.at(-1)
  const isEnd = uses.length < rowsAtOnce || last === undefined
  return {
    position: isEnd ? null : [last.payerIndex, last.kind, last.merchantId, last.paymentId],
    renewed: changed.length,
  }
}

const deletedAtOnce = 5000

/** Deletes counted payments that are outside all velocity windows, and their payers; returns how many. */
export const forgetUses = async (context: Context): Promise<number> => {
  const before = context.clock() - maxVelocityWindowMs
  const uses = await context.query(deleteUses, { before, limit: deletedAtOnce })
  const payers = await context.query(deletePayers, { before, limit: deletedAtOnce })
  return uses.length + payers.length
}
