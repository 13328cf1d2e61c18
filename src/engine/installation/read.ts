import type { Context } from '../context.ts'
import { programName } from 'payin-database'
import { findDatabase, mostCounted, selectProcesses, selectQueues } from './store.ts'

/** What is due in each queue by now, counted up to 10,000, and since when the oldest item is. */
export const listQueues = (context: Context) =>
  context.query(selectQueues, { now: context.clock(), counted: mostCounted })

/** The processes that use the database, by host, with the ids of their keys, the first key's first. */
export const listProcesses = async (context: Context) => {
  const rows = await context.query(selectProcesses, { program: programName(context.settings.databaseSchema) })
  return rows.map(({ name, ...rest }) => {
    const [, version = name, keys = '', instance] = /^(\S+ \d{4})(?: \[([^\]]*)\])?(?: (.+))?$/.exec(name) ?? []
    return { ...rest, name: version, keyIds: keys.split(' ').filter((id) => id !== ''), instance }
  })
}

/** Facts from the database about itself, the processes that use it and the waiting queues. */
export const readInstallation = async (context: Context) => {
  const [[database], processes, queues] = await Promise.all([
    context.query(findDatabase, {}),
    listProcesses(context),
    listQueues(context),
  ])
  if (!database) throw new Error('the database returned no facts about itself')
  return { database, processes: processes.map(({ keyIds: _, ...process }) => process), queues }
}
