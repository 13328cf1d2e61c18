import type { Context } from '../context.ts'
import { listBoundRequisites as list } from './store.ts'

/** The requisites that operators have bound an account to, by the spellings of its number; its money is the first one's. */
export const listBoundRequisites = async (
  context: Pick<Context, 'query' | 'vault'>,
  spellings: readonly string[],
): Promise<string[]> => {
  const numberIndexes = spellings.flatMap((each) => context.vault.blindIndexes('statement-account', each))
  return (await context.query(list, { numberIndexes })).map((row) => row.requisiteId)
}
