import type { Context } from '../context.ts'
import { listRequisitesByNumber } from './store.ts'

/** Requisites that have one of these numbers, in whatever method and currency. */
export const findRequisitesByNumber = (
  context: Pick<Context, 'query' | 'vault'>,
  numbers: readonly string[],
): Promise<{ readonly id: string; readonly currency: string }[]> => {
  const numberIndexes = numbers.flatMap((number) => context.vault.blindIndexes('requisite', number))
  return context.query(listRequisitesByNumber, { numberIndexes })
}
