import { timingSafeEqual } from 'node:crypto'
import { isId } from '../rules/values/id-text.ts'
import { createKeyedHash, type KeyedHash } from './keyed-hash.ts'

// version (1) | ids (16 each) | mac (16)
const version = 1
const idBytes = 16
const macBytes = 16

const mac = (keyed: KeyedHash, signed: Buffer): string => keyed(signed, 'binary').slice(0, macBytes)

const readUuid = (bytes: Buffer, offset: number): string =>
  bytes.toString('hex', offset, offset + idBytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Tokens that carry a number of ids, which tells the kinds apart: self-authenticating and never stored. */
const createIdTokens = (kind: string, numberOfIds: number, key: Buffer) => {
  const keyed = createKeyedHash(key)
  const signedBytes = 1 + numberOfIds * idBytes
  const length = Math.ceil(((signedBytes + macBytes) * 4) / 3)
  return {
    issue: (ids: readonly string[]): string => {
      const token = Buffer.allocUnsafe(signedBytes + macBytes)
      token[0] = version
      ids.forEach((id, index) => {
        if (!isId(id)) throw new Error(`A ${kind} token is made of lower-case UUIDs`)
        token.write(id.replaceAll('-', ''), 1 + index * idBytes, 'hex')
      })
      token.write(mac(keyed, token.subarray(0, signedBytes)), signedBytes, 'binary')
      return token.toString('base64url')
    },
    open: (token: string): readonly string[] | undefined => {
      if (token.length !== length) return undefined
      const bytes = Buffer.from(token, 'base64url')
      // The last character may have spare bits: without this check, sixteen texts would open the same token.
      if (bytes.toString('base64url') !== token || bytes[0] !== version) return undefined
      const signed = bytes.subarray(0, signedBytes)
      const given = bytes.subarray(signedBytes)
      if (!timingSafeEqual(Buffer.from(mac(keyed, signed), 'binary'), given)) return undefined
      return Array.from({ length: numberOfIds }, (_, index) => readUuid(signed, 1 + index * idBytes))
    },
  }
}

/** Issues and opens the tokens of the payer page. */
export type CheckoutTokens = {
  /** The 66-character token of a payment, the same each time; throws unless both ids are lower-case UUIDs. */
  issue(merchantId: string, paymentId: string): string
  /** The ids in a token that the key has issued; `undefined` for any other text. */
  open(token: string): { merchantId: string; paymentId: string } | undefined
}

/** The tokens of payer pages under a key of 32 bytes. */
export const createCheckoutTokens = (key: Buffer): CheckoutTokens => {
  const tokens = createIdTokens('checkout', 2, key)
  return {
    issue: (merchantId, paymentId) => tokens.issue([merchantId, paymentId]),
    open: (token) => {
      const [merchantId = '', paymentId = ''] = tokens.open(token) ?? []
      return paymentId === '' ? undefined : { merchantId, paymentId }
    },
  }
}

/** Issues and opens the tokens of payment links. */
export type LinkTokens = {
  /** The 44-character token of a link, the same each time; throws unless the id is a lower-case UUID. */
  issue(linkId: string): string
  /** The id in a token that the key has issued; `undefined` for any other text. */
  open(token: string): string | undefined
}

/** The tokens of payment links under a key of 32 bytes. */
export const createLinkTokens = (key: Buffer): LinkTokens => {
  const tokens = createIdTokens('link', 1, key)
  return { issue: (linkId) => tokens.issue([linkId]), open: (token) => tokens.open(token)?.[0] }
}
