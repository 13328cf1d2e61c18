import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { Refusal } from '../domain/refusal.ts'
import type { RiskBlock } from '../domain/risk.ts'
import { markBlockEnded } from './store.ts'

/** Lifts a block. Refuses `resource_not_found`, also when it was lifted before. */
export const endBlock = async (tx: Tx, id: string): Promise<RiskBlock> => {
  const [block] = await tx.query(markBlockEnded, { id, now: tx.now })
  if (!block) throw new Refusal('resource_not_found', 'There is no such block, or it was lifted before.')
  await raiseCatalogVersion(tx, 'risk')
  return block
}
