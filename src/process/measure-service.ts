import type { Context } from '../engine/context.ts'
import type { Database } from 'payin-database'
import type { Sample } from '../metrics/meter.ts'
import { version } from '../settings/version.ts'

/** Starts measuring the process and its connection pool. */
export const measureService = (context: Context, database: Pick<Database, 'usage'>): void => {
  const { meter, settings, engine } = context
  const about = { version, node: process.versions.node, engine, roles: settings.roles.join() }
  const sample = (): Sample[] => {
    const { inUse, idle, waiting, most } = database.usage()
    const isWritable = context.isWritable()
    return [
      { name: 'payin_build_info', labels: about, value: 1 },
      { name: 'payin_ready', labels: {}, value: isWritable && !context.changes.closed() ? 1 : 0 },
      { name: 'payin_database_connections', labels: { state: 'in-use' }, value: inUse },
      { name: 'payin_database_connections', labels: { state: 'idle' }, value: idle },
      { name: 'payin_database_connections_max', labels: {}, value: most },
      { name: 'payin_database_waiters', labels: {}, value: waiting },
      { name: 'payin_database_writable', labels: {}, value: isWritable ? 1 : 0 },
    ]
  }
  meter.onScrape(sample)
  meter.measureProcess()
}
