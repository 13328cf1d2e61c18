import type { Vault } from '../../secrets/vault.ts'

const location = (channelId: string) => ({ table: 'alert_channels', column: 'secret', row: channelId })

/** Seals the secret of a channel: the token of a bot, or what signs the calls of a webhook. */
export const sealChannelSecret = (vault: Vault, channelId: string, secret: string): string =>
  vault.encrypt(secret, location(channelId))

/** The secret that `sealChannelSecret` sealed. */
export const openChannelSecret = (vault: Vault, channelId: string, sealed: string): string =>
  vault.decrypt(sealed, location(channelId))
