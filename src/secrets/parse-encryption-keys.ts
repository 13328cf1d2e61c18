/** One 256-bit master key and its short name in sealed values. */
export type EncryptionKey = { readonly id: string; readonly key: Buffer }

/** Keys published in documents and tutorials: anyone can read them, so they protect nothing. */
const publishedKeys = [
  Buffer.from(Array.from({ length: 32 }, (_, index) => index)),
  Buffer.from(Array.from({ length: 32 }, (_, index) => index + 1)),
  Buffer.from('payin-sample-key-never-use-this!'),
]

/** 32 random bytes have about 30 different values; fewer than 16 occur in less than one key in 10¹². */
const leastDifferentBytes = 16

const parseKey = (part: string): { value: EncryptionKey } | { problem: string } => {
  const separator = part.indexOf(':')
  if (separator < 0) return { problem: 'it is not written id:key' }
  const id = part.slice(0, separator)
  const encoded = part.slice(separator + 1)
  if (!/^[a-z0-9]{1,8}$/.test(id)) return { problem: 'its id is not 1 to 8 of a-z and 0-9' }
  const key = Buffer.from(encoded, 'base64')
  // Buffer.from skips characters that are not base64; only the exact encoding is accepted, so that a mistyped key is
  // never half used.
  if (key.toString('base64') !== encoded) return { problem: 'its key is not base64' }
  if (key.length !== 32) return { problem: `its key has ${key.length} bytes, not 32` }
  if (new Set(key).size < leastDifferentBytes) return { problem: 'its key repeats few bytes and is not random' }
  if (publishedKeys.some((published) => published.equals(key))) return { problem: 'its key is a published sample' }
  return { value: { id, key } }
}

/** Reads `id:base64,id:base64` (first key encrypts, the others only decrypt); the problem never quotes a key. */
export const parseEncryptionKeys = (text: string): { value: readonly EncryptionKey[] } | { problem: string } => {
  const keys: EncryptionKey[] = []
  for (const [index, part] of text.split(',').entries()) {
    const parsed = parseKey(part.trim())
    if ('problem' in parsed) return { problem: `is wrong at key ${index + 1}: ${parsed.problem}` }
    const { id, key } = parsed.value
    if (keys.some((other) => other.id === id)) return { problem: `names key id "${id}" twice` }
    if (keys.some((other) => other.key.equals(key))) return { problem: `repeats another key under id "${id}"` }
    keys.push(parsed.value)
  }
  return { value: keys }
}
