import type { Context } from '../context.ts'
import { mainTenant } from '../domain/tenant.ts'
import { countUnknownAccounts } from '../requisites/bindings/renew-account.ts'
import { isRotatingTenants, noteRotated } from '../tenants/note-rotating.ts'
import { forgetOtherKeys, retireOtherKeys } from './admit-keys.ts'
import { rotationSteps } from './rotation-steps.ts'
import type { RotationStep } from './renew-table.ts'
import { beginPass, findRotation, finishRotationRow, finishStep, listSteps, lockStep, updateStep } from './store.ts'

/** Batches of a round: other work of the process gets its turn after each. */
const batchesAtOnce = 10

type Progress = 'goes-on' | 'finished' | 'elsewhere'

/**
 * Renews one batch of a step. At the end of a pass that has renewed something the step begins again: what was written meanwhile by
 * a process with another first key is found then.
 */
const runBatch = (context: Context, keyId: string, step: RotationStep): Promise<Progress> =>
  context.transaction(async (tx) => {
    const of = { keyId, step: step.name }
    const [known] = await tx.query(lockStep, of)
    if (!known) return 'elsewhere'
    const { position, seen, renewed } = await step.run(tx, known.position)
    await tx.query(updateStep, { ...of, position, seen: BigInt(seen), renewed: BigInt(renewed) })
    if (position !== null) return 'goes-on'
    if (known.renewedInPass + BigInt(renewed) > 0n) {
      await tx.query(beginPass, of)
      return 'goes-on'
    }
    await tx.query(finishStep, { ...of, now: tx.now })
    return 'finished'
  })

/**
 * Ends a rotation whose steps are finished: the other keys of the vault are not needed in this schema any more. `main` is the last,
 * because a start looks there which keys it needs.
 */
const finish = async (context: Context, keyId: string): Promise<boolean> => {
  const isMain = context.tenant === mainTenant
  if ((await countUnknownAccounts(context)) > 0 || (isMain && (await isRotatingTenants(context)))) return false
  return context.transaction(async (tx) => {
    const [finished] = await tx.query(finishRotationRow, { keyId, now: tx.now })
    if (!finished) return false
    if (isMain) await retireOtherKeys(tx, tx.vault)
    else await noteRotated(tx)
    await forgetOtherKeys(tx, tx.vault)
    return true
  })
}

/** Renews some batches of the rotation under way; returns how many it did. Safe on any number of processes. */
export const rotateKeys = async (context: Context): Promise<number> => {
  const [rotation] = await context.query(findRotation, {})
  if (!rotation || rotation.finishedAt !== null) return 0
  const { keyId } = rotation
  if (keyId !== context.vault.keyIds[0]) {
    context.log.warn({ keyId }, 'keys are rotated to another key than the first one of this process')
    return 0
  }
  const steps = new Map(rotationSteps.map((step) => [step.name, step]))
  let done = 0
  for (const { step: name, isFinished } of await context.query(listSteps, { keyId })) {
    const step = steps.get(name)
    if (isFinished || !step) continue
    let progress: Progress = 'goes-on'
    while (progress === 'goes-on' && done < batchesAtOnce) {
      progress = await runBatch(context, keyId, step)
      if (progress !== 'elsewhere') done++
    }
    if (done >= batchesAtOnce) return done
  }
  const left = (await context.query(listSteps, { keyId })).some(({ isFinished }) => !isFinished)
  return !left && (await finish(context, keyId)) ? done + 1 : done
}
