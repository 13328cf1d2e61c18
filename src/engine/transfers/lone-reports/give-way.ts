import type { Queryable } from 'payin-database'
import type { Tx } from '../../context.ts'
import { ignoreTransfer } from '../decisions/decide-transfer.ts'
import { noteProof } from '../duplicates/note-proof.ts'
import { moveDuplicates, setDuplicates } from '../duplicates/store.ts'
import { lockTransfer, type TransferKey } from '../transfer-parts.ts'
import { unassignTransfer } from '../unassign-transfer.ts'
import { listGaveWay, listGivingWay, listKeysGivingWay, lockLoneReports } from './store.ts'

/** A transfer that one operator alone has reported, and the bank's own report that is, or may be, the same money. */
export type GivingWay = TransferKey & { readonly duplicateOf: string; readonly isCertain: boolean }

/** The ids of those of some transfers that give way to the bank's own report, locked. Waits for decisions under way. */
export const lockGivingWay = async (tx: Tx, transfers: readonly TransferKey[]): Promise<ReadonlySet<string>> => {
  if (transfers.length === 0) return new Set()
  // A second query, because the first one does not see what was decided while it waited.
  await tx.query(lockLoneReports, { rows: transfers })
  return new Set((await tx.query(listGivingWay, { rows: transfers })).map(({ id }) => id))
}

/** Which keys, with a space after the requisite, are those of transfers that give way to the bank's own report. */
export const findKeysGivingWay = async (
  sql: Queryable,
  keys: readonly { readonly requisiteId: string; readonly dedupeKey: string }[],
): Promise<ReadonlySet<string>> => {
  const found = keys.length === 0 ? [] : await sql.query(listKeysGivingWay, { rows: keys })
  return new Set(found.map(({ requisiteId, dedupeKey }) => `${requisiteId} ${dedupeKey}`))
}

const loneReport = () => Promise.resolve(null)

const takeOut = async (tx: Tx, key: TransferKey, note: string): Promise<void> => {
  const decider = { actor: 'service', note }
  const { parts } = await lockTransfer(tx, key)
  if (parts.some(({ kind }) => kind === 'ignored')) await unassignTransfer(tx, key, { ...decider, loneReport })
  await ignoreTransfer(tx, key, decider)
}

/**
 * Lets the bank's own reports take the place of what one operator alone has reported and nobody else has decided about:
 * what is certainly the same money leaves the books, and what may be waits as a possible duplicate. `lockGivingWay`
 * must have locked them.
 */
export const giveWay = async (tx: Tx, transfers: readonly GivingWay[]): Promise<void> => {
  if (transfers.length === 0) return
  await tx.query(moveDuplicates, { certain: false, rows: transfers })
  await tx.query(setDuplicates, { rows: transfers })
  await noteProof(tx, transfers)
  for (const { isCertain, duplicateOf, ...key } of transfers)
    if (isCertain) await takeOut(tx, key, `The bank reports it as ${duplicateOf}.`)
}

/** Returns to the inbox what gave way to transfers that are withdrawn: it stands on one person's word, as before. */
export const returnGaveWay = async (tx: Tx, transfers: readonly TransferKey[]): Promise<void> => {
  const rows = await tx.query(listGaveWay, { rows: transfers })
  if (rows.length === 0) return
  for (const { isCertain, duplicateOf, ...key } of rows) {
    const note = `The statement that reported it as ${duplicateOf} was withdrawn.`
    if (isCertain) await unassignTransfer(tx, key, { actor: 'service', note, loneReport })
  }
  await tx.query(setDuplicates, { rows: rows.map((each) => ({ ...each, duplicateOf: null })) })
}
