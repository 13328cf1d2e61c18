import type { Vault } from '../secrets/vault.ts'

const purpose = 'search'

const toToken = (hash: string): bigint => Buffer.from(hash, 'base64url').readBigInt64BE()

/** Turns words into the keyed hashes that the index of the search has of them. */
export const searchTokens = {
  /** To store, as an array of PostgreSQL: made with the first key. */
  stored: (vault: Pick<Vault, 'blindIndex'>, words: readonly string[]): string =>
    `{${words.map((each) => toToken(vault.blindIndex(purpose, each))).join(',')}}`,
  /** To look for: made with every key. */
  wanted: (vault: Pick<Vault, 'blindIndexes'>, words: readonly string[]): bigint[] =>
    words.flatMap((each) => vault.blindIndexes(purpose, each).map(toToken)),
}
