import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

/** Issues and opens the tokens of payment links; a token proves itself and is never stored. */
export type LinkTokens = {
  /** The 44-character token of a link, the same each time; throws unless the id is a lower-case UUID. */
  issue(linkId: string): string
  /** The id in a token that one of the keys made; `undefined` for any other text. */
  open(token: string): string | undefined
}

// version (1) | link (16) | mac (16): 33 bytes, which base64url writes without spare bits.
const version = 1
const signedBytes = 17
const macBytes = 16
const tokenShape = /^[\w-]{44}$/
const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const mac = (key: KeyObject, signed: Buffer): Buffer =>
  createHmac('sha256', key).update(signed).digest().subarray(0, macBytes)

/** Tokens under the vault's `link-token` subkeys: the first key issues, all open; throws when there is no key. */
export const createLinkTokens = (vaultSubkeys: readonly Buffer[]): LinkTokens => {
  const keys = vaultSubkeys.map((key) => createSecretKey(key))
  const issuing = keys[0]
  if (!issuing) throw new Error('Link tokens need at least one key')
  return {
    issue: (linkId) => {
      if (!uuidShape.test(linkId)) throw new Error('A link token is made of a lower-case UUID')
      const signed = Buffer.concat([Buffer.from([version]), Buffer.from(linkId.replaceAll('-', ''), 'hex')])
      return Buffer.concat([signed, mac(issuing, signed)]).toString('base64url')
    },
    open: (token) => {
      if (!tokenShape.test(token)) return undefined
      const bytes = Buffer.from(token, 'base64url')
      if (bytes.length !== signedBytes + macBytes || bytes[0] !== version) return undefined
      const signed = bytes.subarray(0, signedBytes)
      const given = bytes.subarray(signedBytes)
      if (!keys.some((key) => timingSafeEqual(mac(key, signed), given))) return undefined
      return signed.toString('hex', 1).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    },
  }
}
