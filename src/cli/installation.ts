import type { InstallationAnswer } from '../http/operator-api/installation.ts'
import { request } from './commands.ts'
import { printFields, printRows, printSections, printTime } from './print-table.ts'

const inMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(0)} MB`

/** `payin installation`. */
export const installationCommand = request({
  description: 'Show how the installation runs: versions, database, queues, processes and disk.',
  request: 'GET /installation',
  print: ({ service, database, migrations, queues, processes, disk }: InstallationAnswer) =>
    printSections(
      printFields({
        version: `${service.version}, Node.js ${service.node}`,
        started: printTime(service.startedAt),
        memory: inMegabytes(service.memory),
        database: `${database.engine} ${database.version}, ${inMegabytes(database.size)}${database.isWritable ? '' : ', takes no writes'}`,
        migrations: `${migrations.applied}, the newest ${migrations.newest ?? 'none'}`,
        disk: disk && `${inMegabytes(disk.free)} of ${inMegabytes(disk.total)} free`,
      }),
      printRows(queues, { QUEUE: 'name', 'WAITING>': 'waiting', SINCE: ({ oldestAt }) => printTime(oldestAt) }),
      printRows(processes, { PROCESS: 'name', 'INSTANCE~': 'instance', FROM: 'host', 'CONNECTIONS>': 'connections' }),
    ),
})
