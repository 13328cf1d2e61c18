import type { OverviewAnswer } from '../http/operator-api/overview.ts'
import { waitingKinds } from '../rules/notices/waiting.ts'
import { type Commands, list, request } from './commands.ts'
import {
  printTime,
  printAmount,
  printFields,
  printRows,
  printSections,
  printDetails,
  printAccount,
  type Printed,
} from './print-table.ts'
import type { FoundAnswer } from '../http/operator-api/search.ts'
import { argument, option, flag, page } from './inputs.ts'
import type { InstallationAnswer, DiagnosisAnswer, OperatorAnswer } from '../http/operator-api/oversight.ts'
import type { AuditEntryAnswer } from '../http/operator-api/audit.ts'
import type { BalancesAnswer } from '../http/operator-api/ledger.ts'
import { findTypedDay, spanOfDay } from '../rules/search/search-day.ts'
import { ofMerchant, ofMode, timeOrAgo } from './named-inputs.ts'

export const todayCommands: Commands = {
  today: list('GET /overview', {
    csvOf: null,
    description:
      'Show everything that waits for you: how many, since when, the next deadlines, and the command that lists it.',
    inputs: { mode: ofMode },
    rows: ({ waiting }: OverviewAnswer) => waiting,
    empty: 'Nothing waits for you. To see whether something is wrong with the service: payin alerts, payin doctor',
    columns: {
      'WAITING~': ({ kind, count }) => `${waitingKinds[kind].words}: ${count}`,
      'SHOWN BY': ({ kind }) => waitingKinds[kind].command,
      'MONEY>': ({ amounts }) => amounts.map(({ amount, currency }) => `${amount} ${currency}`).join('\n') || undefined,
      DEADLINE: ({ dueAt }) => printTime(dueAt),
      SINCE: ({ since }) => printTime(since),
    },
  }),
}

export const findCommands: Commands = {
  find: list('GET /search', {
    csvOf: null,
    description:
      "Find payments, transfers, settlements, merchants, requisites and requests by order, id, address of a payer's page, amount, number or its last four digits, bank reference, document number, name or text; also by day.",
    inputs: {
      q: argument(
        '<text...>',
        'what to look for; all words must match; a day such as yesterday or 20 Nov, too',
        (word: string, before?: string) => (before === undefined ? word : `${before} ${word}`),
      ),
      from: timeOrAgo('--from <time>', 'only what was created, booked or recorded since then'),
      to: timeOrAgo('--to <time>', 'only what was created, booked or recorded before'),
      limit: option('--limit <rows>', 'most results, 1 to 100; default: 20'),
    },
    // With an option for the time, words are never days.
    values: async ({ q, from, to, limit }, session) => {
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
    rows: (answer: { results: FoundAnswer[] }) => answer.results,
    empty:
      'Nothing was found. Fewer words find more; things written in the last seconds are found only by order or id.',
    columns: {
      FOUND: 'kind',
      'NAMED~': 'label',
      'AMOUNT>': ({ amount, currency }) =>
        amount === undefined || currency === undefined ? undefined : printAmount(amount, currency),
      STATE: 'state',
      'ID%': 'id',
      AT: ({ at }) => printTime(at),
      'OTHER SIDE~': ({ number, name }) => [name, number].filter((each) => each !== undefined).join(', ') || undefined,
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

/** What the commands that check invariants share: they take long, and exit with 1 if one is broken. */
export const diagnosis = {
  inputs: {
    full: flag('--full', 'read everything, including what was verified before'),
    list: flag('--list', 'list each invariant that was checked, with its meaning'),
  },
  values: async ({ full }: { readonly full: true | undefined }) => ({ full }),
  patient: true,
  print: (answer: DiagnosisAnswer, { list: listed }: { readonly list: true | undefined }) =>
    describeDiagnosis(answer, listed === true),
  failed: ({ healthy }: DiagnosisAnswer) => !healthy,
} as const

/** A ledger account, with the name of its merchant or requisite. */
const nameLedgerAccount = (row: BalancesAnswer['balances'][number]): string => {
  const { account, merchantId, requisiteId } = row
  if (merchantId !== undefined) return account.replace(merchantId, row.merchantName ?? merchantId)
  return requisiteId === undefined ? account : account.replace(requisiteId, printAccount(row.requisite) ?? requisiteId)
}

/** `payin balances`, `payin whoami`, `payin doctor`, `payin installation` and `payin audit`. */
export const oversightCommands = {
  balances: list('GET /ledger/balances', {
    description: 'Show the balances of the ledger: debits less credits, so what is owed to a merchant is negative.',
    inputs: { merchantId: ofMerchant(), mode: ofMode },
    rows: ({ balances }: BalancesAnswer) => balances,
    empty: 'The ledger is empty: no money has arrived yet.',
    columns: {
      'ACCOUNT~': nameLedgerAccount,
      'BALANCE>': ({ balance, currency }) => `${balance} ${currency}`,
    },
  }),
  whoami: request('GET /me', {
    description: 'Show which operator the token belongs to, and its role.',
    print: ({ name, role }: OperatorAnswer) => `You are ${name}, with the role ${role}.`,
  }),
  doctor: request('GET /doctor', {
    description: 'Check every invariant of the data; exits with 1 if one is broken.',
    ...diagnosis,
  }),
  installation: installationCommand,
  audit: list('GET /audit', {
    csvOf: 'GET /audit/entries',
    description: 'Show what operators did: the last audit entries, or those after a number.',
    inputs: { after: option('--after <sequence>', 'only entries after this one'), limit: page.limit },
    rows: (answer: { entries: AuditEntryAnswer[] }) => answer.entries,
    empty: 'No entries after this one.',
    columns: {
      AT: ({ at }) => printTime(at),
      DID: 'action',
      'TO#': 'subject',
      BY: 'actor',
      '#>': 'sequence',
      'DETAILS~': ({ details }) => printDetails(details) || undefined,
    },
  }),
}
