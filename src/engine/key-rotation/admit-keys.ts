import { claimServiceState, deleteServiceState, listServiceState, setServiceState } from '../service-state.ts'
import type { Queryable } from 'payin-database'
import { Misconfigured } from '../../rules/refusal.ts'
import { generateOneTimeToken } from '../../secrets/one-time-token.ts'
import type { Vault } from '../../secrets/vault.ts'

// The keys that a database needs are in its service state: `key_check` for the key that the first of all starts has
// claimed, or the last rotation has left, and `key:<id>` for each key that has sealed something since.
const checkName = 'key_check'
const idOf = (check: string): string => check.split('.')[1] ?? ''
const nameOf = (check: string): string => `key:${idOf(check)}`

// The addresses of pages and links that people have outlive the encryption keys: their own key is kept here, sealed.
const addressKey = 'address_key'
const addressKeyLocation = { table: 'service_state', column: 'value', row: addressKey }
const newAddressKey = (vault: Vault): string => vault.encrypt(generateOneTimeToken().token, addressKeyLocation)

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

/** Records that everything is sealed with the first key, and seals the key of addresses with it. */
export const forgetOtherKeys = async (sql: Queryable, vault: Vault): Promise<void> => {
  for (const { value } of await listServiceState(sql, addressKey)) {
    const renewed = vault.reseal(value, addressKeyLocation)
    if (renewed !== undefined) await setServiceState(sql, addressKey, renewed)
  }
  const [current = ''] = vault.keyChecks()
  await setServiceState(sql, checkName, current)
  const names = (await listServiceState(sql, 'key:%')).map(({ name }) => name)
  await deleteServiceState(
    sql,
    names.filter((name) => name !== nameOf(current)),
  )
}

/** The key of the addresses of pages and links, a random one that the first of all starts has claimed. */
export const openAddressKey = async (sql: Queryable, vault: Vault): Promise<Buffer> => {
  const sealed = await claimServiceState(sql, addressKey, newAddressKey(vault))
  return Buffer.from(vault.decrypt(sealed, addressKeyLocation), 'base64url')
}

/** Replaces the key of addresses: from the next start on, those that were given out before no longer work. */
export const forgetAddresses = (sql: Queryable, vault: Vault): Promise<void> =>
  setServiceState(sql, addressKey, newAddressKey(vault))
