import type { Vault } from '../secrets/vault.ts'

const place = (endpointId: string) => ({ table: 'notification_endpoints', column: 'secret', row: endpointId })

/** Seals the signing secret of an endpoint. */
export const sealSecret = (vault: Vault, endpointId: string, secret: string): string =>
  vault.encrypt(secret, place(endpointId))

/** Opens what `sealSecret` sealed. */
export const openSecret = (vault: Vault, endpointId: string, sealed: string): string =>
  vault.decrypt(sealed, place(endpointId))
