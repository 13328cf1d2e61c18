import type { Context } from '../context.ts'
import type { Instant } from '../domain/time.ts'
import { listBoundRequisites as list } from './store.ts'

/**
 * The requisites that operators have bound an account to and since when, by the spellings of its number; its money is the
 * first one's.
 */
export const listBoundRequisites = async (
  context: Pick<Context, 'query' | 'vault'>,
  spellings: readonly string[],
): Promise<{ readonly requisiteId: string; readonly boundAt: Instant }[]> => {
  const numberIndexes = spellings.flatMap((each) => context.vault.blindIndexes('statement-account', each))
  return context.query(list, { numberIndexes })
}
