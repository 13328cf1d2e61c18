import type { Vault } from '../secrets/vault.ts'

const purpose = 'search'

const toToken = (hash: string): bigint => Buffer.from(hash, 'base64url').readBigInt64BE()

/** Turns words into the keyed hashes that the index of the search has of them. */
export const searchTokens = {
  /** To store those of several rows, each as an array of PostgreSQL: made with the first key, once for each word. */
  storing: (vault: Pick<Vault, 'blindIndex'>): ((words: readonly string[]) => string) => {
    const known = new Map<string, bigint>()
    const tokenOf = (word: string): bigint => {
      const token = known.get(word) ?? toToken(vault.blindIndex(purpose, word))
      known.set(word, token)
      return token
    }
    return (words) => `{${words.map(tokenOf).join(',')}}`
  },
  /** To look for: made with every key. */
  wanted: (vault: Pick<Vault, 'blindIndexes'>, words: readonly string[]): bigint[] =>
    words.flatMap((each) => vault.blindIndexes(purpose, each).map(toToken)),
}
