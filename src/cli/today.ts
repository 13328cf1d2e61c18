import type { OverviewAnswer } from '../http/operator-api/overview.ts'
import type { WaitingKind } from '../domain/waiting.ts'
import { type Commands, list } from './commands.ts'
import { printTime } from './print-table.ts'

/** What waits in words, and the command that shows it. */
const lines: Readonly<Record<WaitingKind, readonly [words: string, command: string]>> = {
  'stale-rates': ['rates too old for new payments', 'payin rates list'],
  disputes: ['disputes to decide', 'payin disputes list --undecided'],
  corrections: ['corrections that a second operator confirms', 'payin disputes list --undecided'],
  transfers: ['transfers in the inbox', 'payin transfers list --unmatched'],
  'possible-duplicates': ['possible duplicates in the inbox', 'payin transfers list --unmatched'],
  reversals: ['reversals of unclear transfers', 'payin reversals list'],
  statements: ['statements that were read and not imported', 'payin statements list'],
  'paused-requisites': ['requisites paused by the service', 'payin requisites pauses'],
  'troubled-endpoints': ['endpoints that fail or are disabled', 'payin endpoints troubled'],
  overpayments: ['overpayments owed to payers', 'payin overpayments list'],
  outgoing: ['outgoing transfers nobody has explained', 'payin outgoing list --state unexplained'],
  'settlements-to-approve': ['settlements to approve', 'payin settlements list --status draft'],
  'settlements-to-pay': ['settlements to pay', 'payin settlements list --status approved'],
  adjustments: ['adjustments that a second operator posts', 'payin adjustments list --status draft'],
  unacknowledged: ['payments not acknowledged by their merchants', 'payin payments list --unacknowledged'],
}

/** `payin today`. */
export const todayCommands: Commands = {
  today: list({
    description:
      'Show everything that waits for you: how much, since when, the next deadlines, and the command that shows it.',
    request: 'GET /overview',
    rows: ({ waiting }: OverviewAnswer) => waiting,
    empty: 'Nothing waits for you. What is wrong with the service: payin alerts, payin doctor',
    columns: {
      'WAITING~': ({ kind, count }) => `${lines[kind][0]}: ${count}`,
      'SHOWN BY': ({ kind }) => lines[kind][1],
      'MONEY>': ({ amounts }) => amounts.map(({ amount, currency }) => `${amount} ${currency}`).join('\n') || undefined,
      DEADLINE: ({ dueAt }) => printTime(dueAt),
      SINCE: ({ since }) => printTime(since),
    },
  }),
}
