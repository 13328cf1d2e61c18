import { type ChannelKind, type ChannelTarget, isZone, type QuietHours } from '../../domain/alert.ts'
import { type EndpointPolicy, readOutboundUrl } from '../../domain/endpoint.ts'
import { Refusal, refuseField } from '../../domain/refusal.ts'

/** What is set of a channel. */
export type ChannelWish = {
  readonly name: string
  readonly target: ChannelTarget
  readonly quietHours: QuietHours | null
  readonly enabled: boolean
  /** The token of a Telegram bot. */
  readonly botToken?: string
}

/** What channels may lead to: the policy of addresses, and whether there is a mail server. */
export type ChannelPolicy = EndpointPolicy & { readonly hasMail: boolean }

/** The refusal of one field of a channel. */
export const refuse = (field: string, message: string): Refusal => refuseField('validation_failed', field, message)

/** The target of a channel in its normal form; refuses what its kind does not have, and what it lacks. */
export const readTarget = (
  kind: ChannelKind,
  { to, chatId, url }: ChannelTarget,
  policy: ChannelPolicy,
): ChannelTarget => {
  if (kind !== 'email' && to !== undefined) throw refuse('to', 'is of e-mail channels only.')
  if (kind !== 'telegram' && chatId !== undefined) throw refuse('chatId', 'is of Telegram channels only.')
  if (kind !== 'webhook' && url !== undefined) throw refuse('url', 'is of webhooks only.')
  if (kind === 'email') {
    if (!policy.hasMail) {
      throw new Refusal('invalid_state', 'There is no mail server: set PAYIN_SMTP_URL and start the service again.')
    }
    if (to === undefined || to.length === 0) throw refuse('to', 'is required.')
    return { to: [...new Set(to)] }
  }
  if (kind === 'telegram') {
    if (chatId === undefined) throw refuse('chatId', 'is required.')
    return { chatId }
  }
  if (url === undefined) throw refuse('url', 'is required.')
  const normal = readOutboundUrl(url, policy)
  if (normal instanceof Refusal) throw normal
  return { url: normal }
}

/** Refuses quiet hours that are none, or in a zone that nobody knows. */
export const checkQuietHours = (quietHours: QuietHours | null): void => {
  if (quietHours === null) return
  if (!isZone(quietHours.zone)) throw refuse('quietHours.zone', 'is not a time zone, such as Europe/Moscow.')
  if (quietHours.from === quietHours.to) throw refuse('quietHours.to', 'must differ from the beginning.')
}
