import { audit } from '../operations/audit.ts'
import { balances } from '../operations/ledger.ts'
import { overview } from '../operations/overview.ts'
import { ownAccount } from '../operations/own-account.ts'
import { search } from '../operations/search.ts'
import { commandOf } from './noun-commands.ts'
import { type Commands, request } from './commands.ts'
import { printTime, printFields, printRows, printSections, type Printed } from './print-table.ts'
import { argument, flag } from './inputs.ts'
import type { InstallationAnswer, DiagnosisAnswer } from '../http/operator-api/oversight.ts'
import { findTypedDay, spanOfDay } from '../rules/search/search-day.ts'

export const todayCommands: Commands = { today: commandOf(overview, 'today') }

export const findCommands: Commands = {
  find: commandOf(search, 'find', {
    inputs: {
      q: argument(
        '<text...>',
        'what to look for; all words must match; a day such as yesterday or 20 Nov, too',
        (word: string, before?: string) => (before === undefined ? word : `${before} ${word}`),
      ),
    },
    // With an option for the time, words are never days.
    values: async (given, session) => {
      const { q, from, to, limit } = given as { q: string; from?: string; to?: string; limit?: string }
      const found = from === undefined && to === undefined ? findTypedDay(q) : null
      if (found === null) return { q, from, to, limit }
      const span = spanOfDay(found.day, new Date(await session.now()))
      return {
        ...(found.rest !== '' && { q: found.rest }),
        from: span.from.toISOString(),
        to: span.to.toISOString(),
        limit,
      }
    },
  }),
}

const inMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(0)} MB`

const installationCommand = request('GET /installation', {
  description: 'Show how the installation runs: versions, database, queues, processes and disk.',
  print: ({ service, database, migrations, queues, processes, disk }: InstallationAnswer) =>
    printSections(
      printFields({
        version: `${service.version}, Node.js ${service.node}`,
        started: printTime(service.startedAt),
        memory: inMegabytes(service.memory),
        database: `${database.engine} ${database.version}, ${inMegabytes(database.size)}${database.isWritable ? '' : ', read-only'}`,
        migrations: `${migrations.applied}, the newest ${migrations.newest ?? 'none'}`,
        disk: disk && `${inMegabytes(disk.free)} of ${inMegabytes(disk.total)} free`,
      }),
      printRows(queues, { QUEUE: 'name', 'WAITING>': 'waiting', SINCE: ({ oldestAt }) => printTime(oldestAt) }),
      printRows(processes, { PROCESS: 'name', 'INSTANCE~': 'instance', FROM: 'host', 'CONNECTIONS>': 'connections' }),
    ),
})

const describeDiagnosis = ({ healthy, since, checks, notes = [] }: DiagnosisAnswer, listed: boolean): Printed => {
  const all = listed ? [printRows(checks, { INVARIANT: 'name', 'ALWAYS HOLDS~': 'meaning' })] : []
  if (healthy && since !== undefined)
    return printSections(
      `Healthy: ${checks.length} invariants hold for everything changed since ${printTime(since)}; the rest was verified before (--full reads it again).`,
      ...all,
      ...notes,
    )
  if (healthy) return printSections(`Healthy: all ${checks.length} invariants hold.`, ...all, ...notes)
  const broken = checks.filter((check) => check.broken > 0)
  return printSections(
    `Not healthy: ${broken.length} of ${checks.length} invariants are broken.`,
    printRows(broken, {
      INVARIANT: 'name',
      'ALWAYS HOLDS~': 'meaning',
      'BROKEN ROWS>': 'broken',
      'EXAMPLES~': ({ examples }) => examples.join('; '),
    }),
    ...all,
    ...notes,
  )
}

/** `payin balances`, `payin whoami`, `payin doctor`, `payin installation` and `payin audit`. */
export const oversightCommands: Commands = {
  balances: commandOf(balances, 'balances'),
  whoami: commandOf(ownAccount, 'whoami'),
  doctor: request('GET /doctor', {
    description: 'Check every invariant of the data; exits with 1 if one is broken.',
    inputs: {
      full: flag('--full', 'read everything, including what was verified before'),
      list: flag('--list', 'list each invariant that was checked, with its meaning'),
    },
    values: async ({ full }) => ({ full }),
    patient: true,
    print: (answer: DiagnosisAnswer, { list: listed }) => describeDiagnosis(answer, listed === true),
    failed: ({ healthy }: DiagnosisAnswer) => !healthy,
  }),
  installation: installationCommand,
  audit: commandOf(audit, 'audit', { csvOf: 'GET /audit/entries' }),
}
