import type { Tx } from '../context.ts'
import { mainTenant } from '../domain/tenant.ts'
import { noteRotating } from '../tenants/note-rotating.ts'
import { rotationSteps } from './rotation-steps.ts'
import { deleteSteps, endOtherRotations, insertSteps, startRotationRow } from './store.ts'

/** Starts the rotation to the first key in the schema of the transaction; one that is under way goes on. `main` is the last. */
export const startRotation = async (tx: Tx, startedBy: string): Promise<void> => {
  const keyId = tx.vault.keyIds[0] ?? ''
  await tx.query(endOtherRotations, { keyId, now: tx.now })
  if (tx.tenant !== mainTenant) await noteRotating(tx)
  const [started] = await tx.query(startRotationRow, { keyId, startedBy, now: tx.now })
  if (!started) return
  await tx.query(deleteSteps, { keyId })
  await tx.query(insertSteps, { keyId, rows: rotationSteps.map(({ name }) => ({ step: name })) })
}
