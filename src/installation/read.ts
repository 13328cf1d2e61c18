import type { Context } from '../context.ts'
import { findDatabase, mostCounted, selectProcesses, selectQueues } from './store.ts'

/** What the database says of itself, of the processes that use it and of what waits in the queues. */
export const readInstallation = async (context: Context) => {
  const [[database], processes, queues] = await Promise.all([
    context.query(findDatabase, {}),
    context.query(selectProcesses, {}),
    context.query(selectQueues, { now: context.clock(), counted: mostCounted }),
  ])
  if (!database) throw new Error('the database says nothing of itself')
  return { database, processes, queues }
}
