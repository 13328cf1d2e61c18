import type { Context } from '../context.ts'
import { programName } from 'payin-database'
import { findDatabase, mostCounted, selectProcesses, selectQueues } from './store.ts'

/** What is due in each queue by now, counted up to 10,000, and since when the oldest item is. */
export const listQueues = (context: Context) =>
  context.query(selectQueues, { now: context.clock(), counted: mostCounted })

/** Facts from the database about itself, the processes that use it and the waiting queues. */
export const readInstallation = async (context: Context) => {
  const [[database], processes, queues] = await Promise.all([
    context.query(findDatabase, {}),
    context.query(selectProcesses, { program: programName(context.settings.databaseSchema) }),
    listQueues(context),
  ])
  if (!database) throw new Error('the database returned no facts about itself')
  const named = processes.map(({ name, ...rest }) => {
    const [, version = name, instance] = /^(\S+ \d{4})(?: \[[^\]]*\])?(?: (.+))?$/.exec(name) ?? []
    return { ...rest, name: version, instance }
  })
  return { database, processes: named, queues }
}
