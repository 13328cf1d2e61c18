import type { MerchantMode } from '../merchants/merchant.ts'
import type { NotificationKind } from './notification.ts'
import { Refusal, refuseField } from '../refusal.ts'

/** Why an endpoint gets nothing: its merchant or an operator disabled it, it answered 410, or failed for too long. */
export const disabledReasons = ['merchant', 'operator', 'gone', 'failing'] as const
export type DisabledReason = (typeof disabledReasons)[number]

/** The settings of an endpoint; `kinds` is empty for all. */
export type EndpointWish = {
  readonly url: string
  readonly description: string
  readonly kinds: readonly NotificationKind[]
}

/** Most endpoints per merchant. */
export const maxEndpoints = 50

/** Longest address of an endpoint, in characters of its normal form. */
export const maxUrlLength = 2048

/** How long a replaced secret may keep signing, and for how long it usually does, in milliseconds. */
export const secretOverlapMs = { longest: 30 * 24 * 3_600_000, usual: 24 * 3_600_000 }

/** Whether a host of a URL is this machine. */
export const isLoopback = (hostname: string): boolean =>
  /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])\.?$/.test(hostname)

/** Which addresses endpoints may have. */
export type EndpointPolicy = {
  /** Whether sandbox merchants may name this machine. */
  readonly loopbackAllowed: boolean
  /** Whether the host of an address is a name, or an IP address of the public internet. */
  readonly mayBePublic: (hostname: string) => boolean
}

/** Which addresses of this machine may be called: those that a setting allows, or none. */
type OwnMachine = { readonly setting: string; readonly instead?: string } | 'never'

const readUrl = (text: string, own: OwnMachine, { loopbackAllowed, mayBePublic }: EndpointPolicy): string | Refusal => {
  const wrong = (message: string): Refusal => refuseField('url', message)
  const url = URL.parse(text)
  if (!url) return wrong('is not an address.')
  if (url.username !== '' || url.password !== '') return wrong('must not hold a user name or a password.')
  if (url.hash !== '') return wrong('must not have a fragment.')
  // Each non-ASCII letter becomes up to twelve characters.
  if (url.href.length > maxUrlLength) {
    return wrong(`must not be longer than ${maxUrlLength} characters, with all but ASCII percent-encoded.`)
  }
  const local = isLoopback(url.hostname)
  if (local && own !== 'never') {
    if (loopbackAllowed && /^https?:$/.test(url.protocol)) return url.href
    return wrong(`names this machine, which the operator has not allowed (${own.setting}).${own.instead ?? ''}`)
  }
  if (url.protocol !== 'https:') return wrong('must start with https://.')
  if (local) return wrong('names the machine of the service.')
  return mayBePublic(url.hostname) ? url.href : wrong('is not an address of the public internet.')
}

const ownMachineOfSandbox: OwnMachine = {
  setting: 'PAYIN_NOTIFICATION_LOOPBACK',
  instead: ' payin listen --forward brings notifications to a server on your machine without an endpoint.',
}

/**
 * The normal form of an endpoint's address, or why it is not allowed: https only, and no IP address outside the public
 * internet; with `loopbackAllowed` a sandbox merchant may also name this machine, even by http. What names resolve to
 * is checked when connecting.
 */
export const readEndpointUrl = (text: string, mode: MerchantMode, policy: EndpointPolicy): string | Refusal =>
  readUrl(text, mode === 'sandbox' ? ownMachineOfSandbox : 'never', policy)

/** The normal form of an address that an operator lets the service call, by the same rules. */
export const readOutboundUrl = (text: string, policy: EndpointPolicy): string | Refusal =>
  readUrl(text, { setting: 'PAYIN_OUTBOUND_LOOPBACK' }, policy)
