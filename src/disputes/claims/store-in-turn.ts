import type { Context } from '../../context.ts'

const latest = new WeakMap<Context, Promise<unknown>>()

/**
 * Seals and stores a file once those before it are stored. 5 MB keep the process busy for tens of milliseconds and the
 * database for more: many files at once would hold up every payment until the last one is stored.
 */
export const storeInTurn = <T>(context: Context, store: () => Promise<T>): Promise<T> => {
  const turn = (latest.get(context) ?? Promise.resolve()).then(store)
  latest.set(
    context,
    turn.catch(() => undefined),
  )
  return turn
}
