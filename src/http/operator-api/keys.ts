import { type Static, Type } from '../schema.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { forgetRetiredKey } from '../../key-rotation/admit-keys.ts'
import { readKeys } from '../../key-rotation/read.ts'
import { refuseRotation, startRotation } from '../../key-rotation/rotate-keys.ts'
import type { Tenants } from '../../tenants/tenants.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { Time, wire } from '../fields.ts'
import { routesOfInstallation } from '../routes.ts'

const KeyId = Type.String({
  pattern: '^[a-z0-9]{1,8}$',
  description: 'Name of the key in `PAYIN_ENCRYPTION_KEYS`.',
  examples: ['k2'],
})
const Count = (description: string) => Type.Integer({ minimum: 0, description })

const KeysAnswer = Type.Titled('EncryptionKeys', {
  keys: Type.Rows('The keys of the process that responds; the first one seals.', {
    id: KeyId,
    neededBy: Type.Array(Type.String({ examples: ['main'] }), {
      description:
        'Tenants in which something is sealed or indexed with it. A key that no tenant needs may be removed.',
    }),
  }),
  retired: Type.Array(KeyId, {
    description: 'Keys that were removed, although addresses of pages and links that they made still work.',
  }),
  processes: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['payin 0070'] }),
      host: Type.String({ examples: ['10.0.0.1'], description: 'Where its connections come from.' }),
      keys: Type.Optional(Type.Array(KeyId, { description: 'Absent for a version that does not show them.' })),
    }),
  ),
  rotation: Type.Optional(
    Type.Object({
      key: KeyId,
      startedBy: Type.String({ examples: ['operator:anna'] }),
      startedAt: Time,
      finishedAt: Type.Optional(Time),
      tenants: Type.Array(
        Type.Object({
          tenant: Type.String({ examples: ['main'] }),
          isFinished: Type.Boolean(),
          tables: Type.Array(
            Type.Object({
              name: Type.String({ examples: ['transfers'] }),
              pass: Type.Whole('A table is read again until a pass finds nothing to renew.'),
              seen: Count('Rows in this pass.'),
              renewed: Count('Rows that were sealed or indexed again.'),
              isFinished: Type.Boolean(),
            }),
          ),
          unknownAccounts: Count(
            'Accounts in statements whose number is unknown until their next statement, or until they are bound again; the rotation waits for them.',
          ),
        }),
      ),
    }),
  ),
})

/** The encryption keys and their rotation. */
export type KeysAnswer = Static<typeof KeysAnswer>

/** Tenants in use that this process cannot open, because their server is out of reach. */
const listOutOfReach = async (tenants: Tenants, contexts: readonly Context[]): Promise<string[]> => {
  const opened = new Set(contexts.map(({ tenant }) => tenant))
  const rows = (await tenants.rows()).filter(({ state }) => state !== 'preparing' && state !== 'retired')
  return rows.map(({ name }) => name).filter((name) => !opened.has(name))
}

const toAnswer = async (tenants: Tenants): Promise<KeysAnswer> => {
  const contexts = await tenants.list()
  const { keys, retired, processes, rotations } = await readKeys(contexts, await listOutOfReach(tenants, contexts))
  const started = rotations[0]?.rotation
  return {
    keys: keys.map(({ id, neededBy }) => ({ id, neededBy: [...neededBy] })),
    retired,
    processes: processes.map(({ keyIds, ...process }) => ({ ...process, ...(keyIds ? { keys: [...keyIds] } : {}) })),
    ...(started && {
      rotation: {
        ...wire.fields({ startedBy: started.startedBy, startedAt: started.startedAt, finishedAt: started.finishedAt }),
        key: started.keyId,
        tenants: rotations
          .filter(({ rotation }) => rotation?.keyId === started.keyId)
          .map(({ tenant, rotation, steps, unknownAccounts }) => ({
            tenant,
            isFinished: rotation?.finishedAt !== null,
            tables: steps.map(({ step, pass, seen, renewed, isFinished }) => ({
              ...{ name: step, pass, isFinished },
              ...{ seen: Number(seen), renewed: Number(renewed) },
            })),
            unknownAccounts,
          })),
      },
    }),
  }
}

/** The encryption keys of the installation, whatever tenant the request names. */
export const keyRoutes = routesOfInstallation()

keyRoutes.get('/keys', 'read', {
  id: 'getEncryptionKeys',
  reach: 'installation',
  summary: 'Show the names of the encryption keys, what needs them, and how far their rotation has come',
  description: 'For the whole installation, with all tenants. The keys themselves are not shown.',
  answer: KeysAnswer,
  handle: toAnswer,
})

keyRoutes.post('/keys/rotation', 'configure', {
  id: 'rotateEncryptionKeys',
  reach: 'installation',
  summary: 'Seal and index everything with the first key, while the service runs',
  description:
    'Starts the rotation in all tenants; jobs do it in small batches. Repeating the request while it is under way changes nothing. Refused with `invalid_state` if there is only one key, or a running process has another first key.',
  status: 202,
  answer: KeysAnswer,
  refusals: ['invalid_state'],
  handle: async (tenants, request) => {
    await refuseRotation(tenants.main)
    const contexts = await tenants.list()
    const [lacking] = await listOutOfReach(tenants, contexts)
    if (lacking !== undefined)
      throw new Refusal('invalid_state', `The tenant ${lacking} is out of reach: its sealed data could not be renewed.`)
    const [main, ...others] = contexts
    for (const tenant of others) await tenant.transaction((tx) => startRotation(tx, actorOf(request)))
    const key = main?.vault.keyIds[0] ?? ''
    const started = {
      action: 'keys.rotate',
      subject: `key:${key}`,
      details: { older: main?.vault.keyIds.slice(1) ?? [] },
    }
    await actOnBehalf(tenants.main, request, (tx) => startRotation(tx, actorOf(request)), started)
    return toAnswer(tenants)
  },
})

keyRoutes.delete('/keys/retired/:id', 'configure', {
  id: 'forgetRetiredKey',
  reach: 'installation',
  summary: 'Invalidate addresses of pages and links that a retired key has made',
  description: 'After a leak of the key. Takes effect when the processes are restarted.',
  params: { id: KeyId },
  answer: KeysAnswer,
  refusals: ['resource_not_found'],
  handle: async (tenants, request) => {
    const { id } = request.params
    const forgotten = { action: 'keys.forget', subject: `key:${id}`, details: {} }
    await actOnBehalf(tenants.main, request, (tx) => forgetRetiredKey(tx, id), forgotten)
    return toAnswer(tenants)
  },
})
