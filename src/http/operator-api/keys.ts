import { type Static, Type } from '../../operations/schema.ts'
import type { Context } from '../../engine/context.ts'
import { forgetRetiredKey } from '../../engine/key-rotation/admit-keys.ts'
import { adviseOnKeys, readKeys } from '../../engine/key-rotation/read.ts'
import { refuseRotation, startRotation } from '../../engine/key-rotation/rotate-keys.ts'
import { actOnBehalf, actOnNamed, actorOf } from '../access/act-on-behalf.ts'
import { Time } from '../../operations/fields.ts'
import { routesForOperators } from '../routes/routes.ts'

const KeyId = Type.String({
  pattern: '^[a-z0-9]{1,8}$',
  description: 'Name of the key in `PAYIN_ENCRYPTION_KEYS`.',
  examples: ['k2'],
})

const KeysAnswer = Type.Titled('EncryptionKeys', {
  keys: Type.Rows('The keys of the process that responds; the first one seals.', {
    id: KeyId,
    isNeeded: Type.Flag('Whether something is sealed or indexed with it. A key that is not needed may be removed.'),
  }),
  retired: Type.Array(KeyId, {
    description: 'Keys that were removed, although addresses of pages and links that they made still work.',
  }),
  processes: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['payin 0070'] }),
      host: Type.String({ examples: ['10.0.0.1'], description: 'Where its connections come from.' }),
      keys: Type.Array(KeyId),
    }),
  ),
  rotation: Type.Optional(
    Type.Object({
      key: KeyId,
      startedBy: Type.String({ examples: ['operator:anna'] }),
      startedAt: Time,
      finishedAt: Type.Optional(Time),
      tables: Type.Array(
        Type.Object({
          name: Type.String({ examples: ['transfers'] }),
          renewed: Type.Integer({ minimum: 0, description: 'Rows that were sealed or indexed again.' }),
          isFinished: Type.Flag('Whether a last reading of the whole table has found nothing to renew.'),
        }),
      ),
    }),
  ),
  advice: Type.Array(Type.String({ examples: ['The encryption key k1 is not needed any more: remove it.'] }), {
    description: 'What to do next, in sentences.',
  }),
})

/** The encryption keys and their rotation. */
export type KeysAnswer = Static<typeof KeysAnswer>

const toAnswer = async (context: Context) => {
  const known = await readKeys(context)
  const { keys, retired, processes, rotation } = known
  return {
    keys,
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
export const keyRoutes = routesForOperators()

keyRoutes.get('/keys', 'read', {
  id: 'getEncryptionKeys',
  summary: 'Show the names of the encryption keys, which are needed, and how far their rotation has come',
  description: 'The keys themselves are not shown.',
  answer: KeysAnswer,
  handle: toAnswer,
})

keyRoutes.post('/keys/rotation', 'configure', {
  id: 'rotateEncryptionKeys',
  summary: 'Seal and index everything with the first key, while the service runs',
  description:
    'Starts the rotation; jobs do it in small batches. Repeating the request while it is under way changes nothing. Refused with `invalid_state` if there is only one key, or a running process has another first key.',
  status: 202,
  answer: KeysAnswer,
  refusals: ['invalid_state'],
  handle: async (context, request) => {
    await refuseRotation(context)
    const [key = '', ...older] = context.vault.keyIds
    const started = { action: 'keys.rotate', subject: `key:${key}`, details: { older } }
    await actOnBehalf(context, request, (tx) => startRotation(tx, actorOf(request)), started)
    return toAnswer(context)
  },
})

keyRoutes.delete('/keys/retired/:id', 'configure', {
  id: 'forgetRetiredKey',
  summary: 'Invalidate addresses of pages and links that a retired key has made',
  description: 'After a leak of the key. Takes effect when the processes are restarted.',
  params: { id: KeyId },
  answer: KeysAnswer,
  handle: async (context, request) => {
    await actOnNamed(context, request, 'key.forget', (tx) => forgetRetiredKey(tx, request.params.id))
    return toAnswer(context)
  },
})
