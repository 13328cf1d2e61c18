import type { Context } from '../../engine/context.ts'
import { forgetRetiredKey } from '../../engine/key-rotation/admit-keys.ts'
import { adviseOnKeys, readKeys } from '../../engine/key-rotation/read.ts'
import { refuseRotation, startRotation } from '../../engine/key-rotation/rotate-keys.ts'
import { actOnBehalf, actorOf } from '../access/act-on-behalf.ts'
import { wire } from '../../operations/fields.ts'
import { keys, type KeysAnswer } from '../../operations/keys.ts'
import { bindNoun } from '../routes/bind-noun.ts'

const toAnswer = async (context: Context): Promise<KeysAnswer> => {
  const known = await readKeys(context)
  const { retired, processes, rotation } = known
  return {
    keys: known.keys,
    retired,
    processes: processes.map(({ keyIds, ...process }) => ({ ...process, keys: [...keyIds] })),
    advice: adviseOnKeys(known),
    ...(rotation && {
      rotation: {
        ...wire.fields({
          key: rotation.keyId,
          startedBy: rotation.startedBy,
          startedAt: rotation.startedAt,
          finishedAt: rotation.finishedAt,
        }),
        tables: rotation.steps.map(({ step, renewed, isFinished }) => ({
          ...{ name: step, renewed: Number(renewed), isFinished },
        })),
      },
    }),
  }
}

/** The encryption keys and their rotation. */
export const keyRoutes = bindNoun(keys, {
  status: toAnswer,
  rotate: async (context, request) => {
    await refuseRotation(context)
    const [key = '', ...older] = context.vault.keyIds
    const started = { action: 'keys.rotate', subject: `key:${key}`, details: { older } }
    await actOnBehalf(context, request, (tx) => startRotation(tx, actorOf(request)), started)
    return toAnswer(context)
  },
  forget: async (context, request) => {
    const { id } = request.params
    const forgotten = { action: 'keys.forget', subject: `key:${id}`, details: {} }
    await actOnBehalf(context, request, (tx) => forgetRetiredKey(tx, id), forgotten)
    return toAnswer(context)
  },
})
