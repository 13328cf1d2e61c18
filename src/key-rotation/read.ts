import type { Context } from '../context.ts'
import { countUnknownAccounts } from '../requisites/bindings/binding.ts'
import { listNeededKeys, listRetiredKeys } from './admit-keys.ts'
import { findRotation, listProcesses, listSteps } from './store.ts'

/** The last rotation of a tenant, its progress, and the keys that the tenant needs. */
const readRotation = async (context: Context) => {
  const [[rotation], needed] = await Promise.all([context.query(findRotation, {}), listNeededKeys(context)])
  const [steps, unknownAccounts] = rotation
    ? await Promise.all([context.query(listSteps, { keyId: rotation.keyId }), countUnknownAccounts(context)])
    : [[], 0]
  return { tenant: context.tenant, rotation, needed, steps, unknownAccounts }
}

/** A process and its keys, the first key's first; null for a version that does not show them. */
export type KnownProcess = { readonly name: string; readonly host: string; readonly keyIds: readonly string[] | null }

/** The processes that use the database. The embedded engine has only this one. */
export const listKnownProcesses = async (context: Context): Promise<KnownProcess[]> => {
  if (context.engine === 'embedded') return [{ name: 'payin', host: 'here', keyIds: context.vault.keyIds }]
  const rows = await context.query(listProcesses, {})
  const known = rows.map(({ name, host }): KnownProcess => {
    const [, version = name, keys] = /^(payin \d{4})(?: \[([a-z0-9 ]+)\])?(?= |$)/.exec(name) ?? []
    return { name: version, host, keyIds: keys?.split(' ') ?? null }
  })
  // Each only once: equal entries are the same process.
  return [...new Map(known.map((each) => [Object.values(each).join(), each])).values()]
}

/**
 * The keys of this process, what needs them, and the progress of the rotation in each tenant, `main` first. Unreachable
 * tenants count as needing all keys.
 */
export const readKeys = async (contexts: readonly Context[], outOfReach: readonly string[] = []) => {
  const [main] = contexts
  if (!main) throw new Error('there is no tenant')
  const rotations = await Promise.all(contexts.map(readRotation))
  const keys = main.vault.keyIds.map((id) => {
    const neededBy = rotations.filter(({ needed }) => needed.includes(id)).map(({ tenant }) => tenant)
    return { id, neededBy: [...neededBy, ...outOfReach] }
  })
  const [processes, retired] = await Promise.all([listKnownProcesses(main), listRetiredKeys(main)])
  return { keys, rotations, processes, retired }
}

/** What an operator should know about the keys, in sentences; empty if everything is as it should be. */
export const adviseOnKeys = async (contexts: readonly Context[]): Promise<string[]> => {
  const { keys, rotations, retired } = await readKeys(contexts)
  const [first, ...others] = keys
  const underWay = rotations.some(({ rotation }) => rotation?.finishedAt === null)
  return others.map(({ id, neededBy }) => {
    if (neededBy.length === 0 && !retired.includes(id))
      return `The encryption key ${id} seals nothing: to rotate to it, put it first in PAYIN_ENCRYPTION_KEYS and restart the processes; otherwise remove it.`
    if (neededBy.length === 0)
      return `The encryption key ${id} is not needed any more: remove it from PAYIN_ENCRYPTION_KEYS, and restart the processes.`
    return underWay
      ? `The encryption key ${id} is still needed: the rotation to ${first?.id} is under way (payin keys status).`
      : `The encryption key ${id} is still needed: payin keys rotate seals everything with ${first?.id}.`
  })
}
