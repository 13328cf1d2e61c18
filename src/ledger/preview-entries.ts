import type { Context, Tx } from '../context.ts'
import type { Posting } from '../domain/ledger.ts'
import { insertPostings } from './store.ts'

class Previewed extends Error {}

/** What a step would write to the ledger, by doing it and undoing all of it. Refuses as the step does. */
export const previewEntries = async (context: Context, step: (tx: Tx) => Promise<unknown>): Promise<Posting[]> => {
  let found: Posting[] = []
  const watch = (tx: Tx): Tx => ({
    ...tx,
    query: (query, parameters) => {
      if ((query as unknown) === insertPostings)
        found.push(...(parameters as unknown as { readonly rows: readonly Posting[] }).rows)
      return tx.query(query, parameters)
    },
  })
  try {
    await context.transaction(async (tx) => {
      found = []
      await step(watch(tx))
      throw new Previewed('previewed')
    })
  } catch (error) {
    if (!(error instanceof Previewed)) throw error
  }
  return found
}
