import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import { equalTexts } from './hashes.ts'
import { createKeyedHash, type KeyedHash } from './keyed-hash.ts'
import type { EncryptionKey } from './parse-encryption-keys.ts'

/** Where a sealed value is stored; it cannot be opened at any other location. */
export type Location = { readonly table: string; readonly column: string; readonly row: string }

/** Seals personal data at rest and derives every other key of the service from the master keys. */
export type Vault = {
  /** Seals with the first key: `v1.<keyId>.<base64url(nonce|ciphertext|tag)>`, different on each call. */
  encrypt(plaintext: string, location: Location): string
  /** Opens what `encrypt` sealed for this location with any of the keys; its errors contain no content. */
  decrypt(sealed: string, location: Location): string
  /** Seals bytes, such as a file, as `encrypt` seals text. */
  encryptBytes(content: Uint8Array, location: Location): string
  /** Opens what `encryptBytes` sealed for this location. */
  decryptBytes(sealed: string, location: Location): Buffer
  /** The keyed hash (43 base64url characters) to store next to a sealed value; computed with the first key. */
  blindIndex(kind: string, value: string): string
  /** The hashes for looking up a value, one per key and the first key's first, so that rotation loses no row. */
  blindIndexes(kind: string, value: string): readonly string[]
  /** 32 bytes for one purpose, from the first key. */
  subkey(purpose: string): Buffer
  /** 32 bytes for one purpose from each key, the first key's first: issue with the first, accept any. */
  subkeys(purpose: string): readonly Buffer[]
  /** Seals a value with the first key again, for the same location; `undefined` if the first key already sealed it. */
  reseal(sealed: string, location: Location): string | undefined
  /** The prefix of values sealed with the first key. */
  readonly sealedPrefix: string
  /** The ids of the keys, the first key's first. */
  readonly keyIds: readonly string[]
  /**
   * A public value for each key, the first key's first: stored in the database, it shows a later start which keys it
   * needs.
   */
  keyChecks(): readonly string[]
  /** Whether the key that produced this `keyCheck` is still among the keys. */
  verifyKeyCheck(value: string): boolean
}

const nonceBytes = 12
const tagBytes = 16

const derive = (master: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `payin:v1:${purpose}`, 32))

/** JSON keeps the borders between the parts, which plain joining would lose. */
const associatedData = ({ table, column, row }: Location): Buffer =>
  Buffer.from(JSON.stringify(['v1', table, column, row]))

const blindIndexOf = (keyed: KeyedHash, kind: string, value: string): string =>
  keyed(JSON.stringify([kind, value]), 'base64url')

const nameOf = ({ table, column }: Location): string => `${table}.${column}`

/** The vault with these master keys: the first encrypts, all decrypt (AES-256-GCM, subkeys by HKDF-SHA256). */
export const createVault = (keys: readonly EncryptionKey[]): Vault => {
  // Key objects are created once: sealing takes 4 µs with one and 15 µs with the bytes of the key (2 cores, Node
  // 24.21).
  const rings = keys.map(({ id, key }) => ({
    id,
    master: key,
    encryption: createSecretKey(derive(key, 'vault:encryption')),
    index: createKeyedHash(derive(key, 'vault:blind-index')),
    check: `v1.${id}.${derive(key, 'vault:key-check').toString('base64url')}`,
  }))
  const current = rings[0]
  if (!current) throw new Error('A vault needs at least one encryption key')
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new Error('Two encryption keys have the same id')
  if (keys.some(({ key }) => key.length !== 32)) throw new Error('An encryption key does not have 32 bytes')

  const sealedPrefix = `v1.${current.id}.`

  const seal = (content: Uint8Array, location: Location): string => {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', current.encryption, nonce, { authTagLength: tagBytes })
    cipher.setAAD(associatedData(location))
    const body = Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
    return sealedPrefix + body.toString('base64url')
  }

  const open = (sealed: string, location: Location): Buffer => {
    const [, id, encoded] = /^v1\.([a-z0-9]{1,8})\.([\w-]+)$/.exec(sealed) ?? []
    const body = Buffer.from(encoded ?? '', 'base64url')
    if (body.length < nonceBytes + tagBytes || body.toString('base64url') !== encoded) {
      throw new Error(`The sealed value of ${nameOf(location)} is malformed`)
    }
    const ring = rings.find((candidate) => candidate.id === id)
    if (!ring) throw new Error(`No encryption key has the id "${id}"`)
    const nonce = body.subarray(0, nonceBytes)
    const decipher = createDecipheriv('aes-256-gcm', ring.encryption, nonce, { authTagLength: tagBytes })
    decipher.setAAD(associatedData(location))
    decipher.setAuthTag(body.subarray(-tagBytes))
    try {
      return Buffer.concat([decipher.update(body.subarray(nonceBytes, -tagBytes)), decipher.final()])
    } catch {
      throw new Error(`The sealed value of ${nameOf(location)} was changed, moved or sealed with another key`)
    }
  }

  return {
    encrypt(plaintext, location) {
      // A lone surrogate would come back as another character, so it is refused rather than changed.
      if (!plaintext.isWellFormed()) throw new Error(`The value for ${nameOf(location)} is not well-formed text`)
      return seal(Buffer.from(plaintext, 'utf8'), location)
    },
    decrypt: (sealed, location) => open(sealed, location).toString('utf8'),
    encryptBytes: seal,
    decryptBytes: open,
    blindIndex: (kind, value) => blindIndexOf(current.index, kind, value),
    blindIndexes: (kind, value) => rings.map((ring) => blindIndexOf(ring.index, kind, value)),
    subkey: (purpose) => derive(current.master, `subkey:${purpose}`),
    subkeys: (purpose) => rings.map((ring) => derive(ring.master, `subkey:${purpose}`)),
    reseal: (sealed, location) =>
      sealed.startsWith(sealedPrefix) ? undefined : seal(open(sealed, location), location),
    sealedPrefix,
    keyIds: rings.map(({ id }) => id),
    keyChecks: () => rings.map(({ check }) => check),
    verifyKeyCheck: (value) => rings.some((ring) => equalTexts(ring.check, value)),
  }
}

/** The text values of a row: its key, sealed columns, and other requested columns. */
export type SealedRow = Readonly<Record<string, string | null>>

export type SealedColumn = {
  readonly name: string
  /** The column's name in its location. Default: `name`. */
  readonly locatedAs?: string
  /** The keyed hash of its content in another column; null leaves that column as it is. */
  readonly index?: {
    readonly name: string
    of(vault: Pick<Vault, 'blindIndex'>, content: Buffer, row: SealedRow): string | null
  }
}

/** A table with sealed columns, as the rotation of the encryption keys needs it. */
export type SealedTable = {
  readonly table: string
  /** The columns of its primary key in their order. */
  readonly key: Readonly<Record<string, 'uuid' | 'integer'>>
  readonly columns: readonly SealedColumn[]
  /** The name of a row in the locations of its columns. Default: its `id`. */
  readonly rowOf?: (row: SealedRow) => string
  /** Further columns that the indexes are computed from. */
  readonly also?: readonly string[]
  /** How many rows are renewed in one transaction. Default: 500. */
  readonly rowsAtOnce?: number
}

/** A keyed hash that was computed again with the first key. */
export type RenewedIndex = { readonly column: string; readonly before: string; readonly after: string }
