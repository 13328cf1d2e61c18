import { createHmac } from 'node:crypto'
import { equalTexts } from './hashes.ts'

const stepMs = 30_000
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const base32 = (bytes: Buffer): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

const codeOf = (secret: string, step: number): string => {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** Whether an authenticator with this secret shows the code, now or half a minute earlier or later (RFC 6238). */
export const isOneTimeCode = (secret: string, code: string, now: number): boolean => {
  const step = Math.floor(now / stepMs)
  return [step - 1, step, step + 1].some((each) => equalTexts(codeOf(secret, each), code))
}

/** The address that an authenticator reads from a QR code. */
export const authenticatorAddress = (secret: string, email: string): string => {
  const query = new URLSearchParams({ secret: base32(Buffer.from(secret)), issuer: 'Payin', digits: '6', period: '30' })
  return `otpauth://totp/Payin:${encodeURIComponent(email)}?${query.toString()}`
}
