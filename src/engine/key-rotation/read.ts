import type { Context } from '../context.ts'
import { listProcesses } from '../installation/read.ts'
import { listNeededKeys } from './admit-keys.ts'
import { findRotation, listSteps } from './store.ts'

/** A process and its keys, the first key's first. */
export type KnownProcess = { readonly name: string; readonly host: string; readonly keyIds: readonly string[] }

/** The processes that use the database. The embedded engine has only this one. */
export const listKnownProcesses = async (context: Context): Promise<KnownProcess[]> => {
  if (context.engine === 'embedded') return [{ name: 'payin', host: 'here', keyIds: context.vault.keyIds }]
  const processes = (await listProcesses(context)).filter(({ name }) => / \d{4}$/.test(name))
  const known = processes.map(({ name, host, keyIds }): KnownProcess => ({ name, host, keyIds }))
  // Each only once: equal entries are the same process.
  return [...new Map(known.map((each) => [Object.values(each).join(), each])).values()]
}

/** The keys of this process, whether something is sealed with each, and the progress of the last rotation. */
export const readKeys = async (context: Context) => {
  const [[rotation], needed, processes] = await Promise.all([
    context.query(findRotation, {}),
    listNeededKeys(context),
    listKnownProcesses(context),
  ])
  const steps = rotation ? await context.query(listSteps, { keyId: rotation.keyId }) : []
  const keys = context.vault.keyIds.map((id) => ({ id, isNeeded: needed.includes(id) }))
  return { keys, rotation: rotation && { ...rotation, steps }, processes }
}

/** What an operator should do about the keys, in sentences; empty if everything is as it should be. */
export const adviseOnKeys = ({ keys, rotation }: Awaited<ReturnType<typeof readKeys>>): string[] => {
  const [first, ...others] = keys
  const isUnderWay = rotation?.finishedAt === null
  return others.map(({ id, isNeeded }) => {
    if (!isNeeded)
      return `The encryption key ${id} is not needed: remove it from PAYIN_ENCRYPTION_KEYS, and restart the processes. To rotate to it, put it first instead.`
    return isUnderWay
      ? `The encryption key ${id} is still needed: the rotation to ${first?.id} is under way (payin keys status).`
      : `The encryption key ${id} is still needed: payin keys rotate seals everything with ${first?.id}.`
  })
}
