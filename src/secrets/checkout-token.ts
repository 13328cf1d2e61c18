import { timingSafeEqual } from 'node:crypto'
import { createKeyedHash, type KeyedHash } from './keyed-hash.ts'

/** Issues and opens the tokens of the payer page; a token proves itself and is never stored. */
export type CheckoutTokens = {
  /** The 66-character token of a payment, the same each time; throws unless both ids are lower-case UUIDs. */
  issue(merchantId: string, paymentId: string): string
  /** The ids in a token that one of the keys made; `undefined` for any other text. */
  open(token: string): { merchantId: string; paymentId: string } | undefined
}

// version (1) | merchant (16) | payment (16) | mac (16)
const version = 1
const signedBytes = 33
const macBytes = 16
const tokenShape = /^[\w-]{66}$/
const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const mac = (keyed: KeyedHash, signed: Buffer): string => keyed(signed, 'binary').slice(0, macBytes)

const writeUuid = (bytes: Buffer, offset: number, uuid: string): void => {
  if (!uuidShape.test(uuid)) throw new Error('A checkout token is made of lower-case UUIDs')
  bytes.write(uuid.replaceAll('-', ''), offset, 'hex')
}

const readUuid = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Tokens under the vault's `checkout-token` subkeys: the first key issues, all open; throws when there is no key. */
export const createCheckoutTokens = (vaultSubkeys: readonly Buffer[]): CheckoutTokens => {
  const keys = vaultSubkeys.map(createKeyedHash)
  const issuing = keys[0]
  if (!issuing) throw new Error('Checkout tokens need at least one key')

  return {
    issue: (merchantId, paymentId) => {
      const token = Buffer.allocUnsafe(signedBytes + macBytes)
      token[0] = version
      writeUuid(token, 1, merchantId)
      writeUuid(token, 17, paymentId)
      token.write(mac(issuing, token.subarray(0, signedBytes)), signedBytes, 'binary')
      return token.toString('base64url')
    },

    open: (token) => {
      if (!tokenShape.test(token)) return undefined
      const bytes = Buffer.from(token, 'base64url')
      // The last character has four spare bits: without this, sixteen texts would open the same payment.
      if (bytes.toString('base64url') !== token || bytes[0] !== version) return undefined
      const signed = bytes.subarray(0, signedBytes)
      const given = bytes.subarray(signedBytes)
      if (!keys.some((key) => timingSafeEqual(Buffer.from(mac(key, signed), 'binary'), given))) return undefined
      return { merchantId: readUuid(signed.subarray(1, 17)), paymentId: readUuid(signed.subarray(17)) }
    },
  }
}
