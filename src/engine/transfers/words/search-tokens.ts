import type { Vault } from '../../../secrets/vault.ts'

const purpose = 'search'

const toToken = (hash: string): bigint => Buffer.from(hash, 'base64url').readBigInt64BE()

export const searchTokens = {
  /** For storing the words of several rows, each as a PostgreSQL array: hashed with the first key, once per word. */
  storing: (vault: Pick<Vault, 'blindIndex'>): ((words: readonly string[]) => string) => {
    const known = new Map<string, bigint>()
    const tokenOf = (word: string): bigint => {
      const token = known.get(word) ?? toToken(vault.blindIndex(purpose, word))
      known.set(word, token)
      return token
    }
    return (words) => `{${words.map(tokenOf).join(',')}}`
  },
  /** For searching: hashed with every key. */
  wanted: (vault: Pick<Vault, 'blindIndexes'>, words: readonly string[]): bigint[] =>
    words.flatMap((each) => vault.blindIndexes(purpose, each).map(toToken)),
}
