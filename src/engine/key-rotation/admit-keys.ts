import { claimServiceState, deleteServiceState, listServiceState, setServiceState } from '../service-state.ts'
import type { Queryable } from 'payin-database'
import { Misconfigured, Refusal } from '../../rules/refusal.ts'
import type { RetiredSubkey, Vault } from '../../secrets/vault.ts'

// The keys that a database needs are in its service state: `key_check` for the key that the first of all starts has
// claimed, or the last rotation has left, and `key:<id>` for each key that has sealed something since.
const checkName = 'key_check'
const idOf = (check: string): string => check.split('.')[1] ?? ''
const nameOf = (check: string): string => `key:${idOf(check)}`

/** Purposes whose subkeys outlive their key: addresses of pages and links that people already have. */
const lastingPurposes = ['checkout-token', 'link-token'] as const
const retiredName = (keyId: string): string => `retired_key:${keyId}`
const retiredLocation = (name: string) => ({ table: 'service_state', column: 'value', row: name })

/** Whether a query failed because the database has no tables yet. */
export const isNewDatabase = (error: unknown): boolean => (error as { code?: string }).code === '42P01'

const readChecks = async (sql: Queryable): Promise<Map<string, string>> => {
  const rows = await listServiceState(sql, 'key%').catch((error: unknown) => {
    if (isNewDatabase(error)) return []
    throw error
  })
  const checks = rows.filter(({ name }) => name === checkName || name.startsWith('key:'))
  return new Map(checks.map(({ name, value }) => [name, value]))
}

/** The ids of the keys that have sealed something. */
export const listNeededKeys = async (sql: Queryable): Promise<string[]> => [
  ...new Set([...(await readChecks(sql)).values()].map(idOf)),
]

const requireKeys = (checks: Iterable<string>, vault: Vault): void => {
  const missing = [...checks].find((check) => !vault.verifyKeyCheck(check))
  if (missing === undefined) return
  throw new Misconfigured(
    `This database needs the encryption key ${idOf(missing)}, which is not among those given (${vault.keyIds.join(', ')}), or is another one of that name. Start with the PAYIN_ENCRYPTION_KEYS (or the secrets.json of the data directory) that it was written with; a key may be left out once payin keys status says that it is not needed.`,
  )
}

/** Refuses to continue if the vault lacks one of the needed keys, and changes nothing. */
export const checkKeys = async (sql: Queryable, vault: Vault): Promise<void> =>
  requireKeys((await readChecks(sql)).values(), vault)

/**
 * Refuses to continue if the vault lacks one of the needed keys, and records that its first key is needed from now on.
 * If nothing is recorded yet, that key sealed everything.
 */
export const admitKeys = async (sql: Queryable, vault: Vault): Promise<void> => {
  const [current = ''] = vault.keyChecks()
  const noted = await readChecks(sql)
  if (!noted.has(checkName)) noted.set(checkName, await claimServiceState(sql, checkName, current))
  requireKeys(noted.values(), vault)
  if (!noted.has(nameOf(current))) await claimServiceState(sql, nameOf(current), current)
}

/** Records that everything is sealed with the first key. */
export const forgetOtherKeys = async (sql: Queryable, vault: Vault): Promise<void> => {
  const [current = ''] = vault.keyChecks()
  await setServiceState(sql, checkName, current)
  const names = (await listServiceState(sql, 'key:%')).map(({ name }) => name)
  await deleteServiceState(
    sql,
    names.filter((name) => name !== nameOf(current)),
  )
}

/** The subkeys that retired keys have left in the database, opened with the keys of the vault. */
export const openRetiredSubkeys = async (sql: Queryable, vault: Vault): Promise<RetiredSubkey[]> => {
  const rows = await listServiceState(sql, retiredName('%'))
  return rows.flatMap(({ name, value }) =>
    Object.entries(JSON.parse(vault.decrypt(value, retiredLocation(name))) as Record<string, string>).map(
      ([purpose, key]) => ({ purpose, key: Buffer.from(key, 'base64') }),
    ),
  )
}

/**
 * Keeps the subkeys of the other keys for addresses of pages and links, sealed with the first key: these addresses
 * continue to work after those keys are gone.
 */
export const retireOtherKeys = async (sql: Queryable, vault: Vault): Promise<void> => {
  for (const { name, value } of await listServiceState(sql, retiredName('%'))) {
    const renewed = vault.reseal(value, retiredLocation(name))
    if (renewed !== undefined) await setServiceState(sql, name, renewed)
  }
  for (const [index, id] of vault.keyIds.entries()) {
    if (index === 0) continue
    const subkeys = lastingPurposes.map((purpose) => [purpose, vault.subkeys(purpose)[index]?.toString('base64') ?? ''])
    const name = retiredName(id)
    await setServiceState(sql, name, vault.encrypt(JSON.stringify(Object.fromEntries(subkeys)), retiredLocation(name)))
  }
}

/** The ids of keys whose addresses of pages and links still work although the keys may be gone. */
export const listRetiredKeys = async (sql: Queryable): Promise<string[]> =>
  (await listServiceState(sql, retiredName('%'))).map(({ name }) => name.slice(retiredName('').length))

/** Deletes the subkeys of a retired key: from the next start on, addresses that it created no longer work. */
export const forgetRetiredKey = async (sql: Queryable, keyId: string): Promise<void> => {
  const name = retiredName(keyId)
  if (!(await listServiceState(sql, name)).some((row) => row.name === name))
    throw new Refusal('resource_not_found', `There is no retired key ${keyId}.`)
  await deleteServiceState(sql, [name])
}
