import type { Context } from '../../engine/context.ts'
import { forgetRetiredKey } from '../../engine/key-rotation/admit-keys.ts'
import { adviseOnKeys, readKeys } from '../../engine/key-rotation/read.ts'
import { refuseRotation, startRotation } from '../../engine/key-rotation/rotate-keys.ts'
import { actOnBehalf, actOnNamed, actorOf } from '../access/act-on-behalf.ts'
import { keys } from '../../operations/keys.ts'
import { bindOperations } from '../routes/bind-operations.ts'

const toAnswer = async (context: Context) => {
  const known = await readKeys(context)
  const { retired, processes, rotation } = known
  return {
    keys: known.keys,
    retired,
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
    await actOnNamed(context, request, 'key.forget', (tx) => forgetRetiredKey(tx, request.params.id))
    return toAnswer(context)
  },
})
