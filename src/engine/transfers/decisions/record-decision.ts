import type { Tx } from '../../context.ts'
import type { DecisionWord } from '../../../rules/transfers/transfer.ts'
import { type Made, recordSingle } from '../../decisions/record-decision.ts'
import type { TransferKey } from '../transfer-parts.ts'
import { countParts } from './store.ts'

/** What a decision has done with a locked transfer by making `made` parts of it: what revoking it needs to know. */
export const doneWith = async (tx: Tx, key: TransferKey, made: number): Promise<Made> => {
  const [parts] = await tx.query(countParts, { requisiteId: key.requisiteId, transferId: key.id })
  if (!parts) throw new Error(`transfer ${key.id} has no parts`)
  return { state: 'done', keptParts: parts.current - made, lastPart: parts.last }
}

/** Records a decision that a request about this one transfer has carried out, and returns its id. */
export const recordDecision = async (
  tx: Tx,
  { requisiteId, id }: TransferKey,
  word: DecisionWord,
  made: number,
  actor: string,
): Promise<string> =>
  recordSingle(tx, { ownerId: requisiteId, id, word }, await doneWith(tx, { requisiteId, id }, made), actor)
