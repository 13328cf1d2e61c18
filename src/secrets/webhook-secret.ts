import { randomBytes } from 'node:crypto'

/** A new signing secret as Standard Webhooks writes it: `whsec_` and 32 random bytes in Base64. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`
