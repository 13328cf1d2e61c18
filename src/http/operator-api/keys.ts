import type { Context } from '../../engine/context.ts'
import { forgetAddresses } from '../../engine/key-rotation/admit-keys.ts'
import { adviseOnKeys, readKeys } from '../../engine/key-rotation/read.ts'
import { refuseRotation, startRotation } from '../../engine/key-rotation/rotate-keys.ts'
import { actOnBehalf, actorOf } from '../access/act-on-behalf.ts'
import { keys } from '../../operations/keys.ts'
import { bindOperations } from '../routes/bind-operations.ts'

const toAnswer = async (context: Context) => {
  const known = await readKeys(context)
  const { processes, rotation } = known
  return {
    keys: known.keys,
    processes: processes.map((process) => ({ ...process, keys: process.keyIds })),
    advice: adviseOnKeys(known),
    rotation: rotation && {
      ...rotation,
      key: rotation.keyId,
      tables: rotation.steps.map((step) => ({ ...step, name: step.step })),
    },
  }
}

/** The encryption keys and their rotation. */
export const keyRoutes = bindOperations(keys.operations, {
  status: toAnswer,
  rotate: async (context, request) => {
    await refuseRotation(context)
    const [key = '', ...older] = context.vault.keyIds
    const started = { action: 'keys.rotate', subject: `key:${key}`, details: { older } }
    await actOnBehalf(context, request, (tx) => startRotation(tx, actorOf(request)), started)
    return toAnswer(context)
  },
  forget: async (context, request) => {
    const forgotten = { action: 'keys.forget-addresses', subject: 'key:addresses', details: {} }
    await actOnBehalf(context, request, (tx) => forgetAddresses(tx, tx.vault), forgotten)
    return toAnswer(context)
  },
})
