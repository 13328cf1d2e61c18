import type { Tx } from '../../context.ts'
import type { Vault } from '../../../secrets/vault.ts'
import { listSecondFactorsAfter, updateSecondFactors } from './store.ts'

const purpose = 'member-sessions'
const rowsAtOnce = 100

const secretsOf = (vault: Pick<Vault, 'subkeys'>): string[] =>
  vault.subkeys(purpose).map((key) => key.toString('base64url'))

/** The library identifies the secrets of envelopes by numbers: the key's id, read as a number. */
const versionOf = (keyId: string): number => Number.parseInt(`1${keyId}`, 36)

/**
 * The secrets of the library: the first signs sessions and encrypts second factors, the others only decrypt. Values
 * without an envelope are older than multiple keys: the oldest key encrypted them.
 */
export const authSecrets = (vault: Pick<Vault, 'subkeys' | 'keyIds'>) => {
  const values = secretsOf(vault)
  return {
    secret: values.at(-1) ?? '',
    secrets: vault.keyIds.map((id, index) => ({ version: versionOf(id), value: values[index] ?? '' })),
  }
}

/** Encrypts with the first key what another one has encrypted; null if the first did, or if it is not encrypted. */
const renew = async (vault: Vault, value: string): Promise<string | null> => {
  const { secrets } = authSecrets(vault)
  const [current] = secrets
  if (!current || value.startsWith(`$ba$${current.version}$`)) return null
  // Loaded with the first value to encrypt again.
  const { symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto')
  const keys = new Map(secrets.map((each) => [each.version, each.value]))
  for (const { value: legacySecret } of secrets) {
    const key = { keys, currentVersion: current.version, legacySecret }
    try {
      const data = await symmetricDecrypt({ key, data: value })
      return await symmetricEncrypt({ key, data })
    } catch {
      // Another key has encrypted it.
    }
  }
  return null
}

/** Encrypts members' second factors after a position with the first key; `position` is the last, null at the end. */
export const renewSecondFactors = async (tx: Tx, position: readonly string[] | null) => {
  const [id = '00000000-0000-0000-0000-000000000000'] = position ?? []
  const factors = await tx.query(listSecondFactorsAfter, { id, limit: rowsAtOnce })
  const rows = []
  for (const factor of factors) {
    const [secret, backupCodes] = [await renew(tx.vault, factor.secret), await renew(tx.vault, factor.backupCodes)]
    if (secret === null && backupCodes === null) continue
    const renewed = { secret: secret ?? factor.secret, backupCodes: backupCodes ?? factor.backupCodes }
    rows.push({ id: factor.id, ...renewed, secretBefore: factor.secret, backupCodesBefore: factor.backupCodes })
  }
  if (rows.length > 0) await tx.query(updateSecondFactors, { rows })
  const last = factors.at(-1)
  const isEnd = factors.length < rowsAtOnce || last === undefined
  return { position: isEnd ? null : [last.id], renewed: rows.length }
}
