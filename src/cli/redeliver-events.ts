import type { Redelivered } from '../http/operator-api/endpoints.ts'
import { list } from './commands.ts'
import { Failure } from './failure.ts'
import { flag, option } from './inputs.ts'
import { timeOrAgo } from './list-inputs.ts'
import { merchant } from './named-inputs.ts'
import { words } from './read-arguments.ts'
import { resolveId } from './resolve-name.ts'
import type { Session } from './session.ts'
import { readText } from './surroundings.ts'

const paymentNames = (typed: string, before: readonly string[] = []): readonly string[] => [...before, typed]

/** The ids of payments of a merchant that were typed or are the lines of a file. */
const findPayments = async (
  session: Session,
  merchantId: string,
  typed: readonly string[] = [],
  file?: string,
): Promise<string[] | undefined> => {
  const lines = file === undefined ? [] : (await readText(session.surroundings, file)).split(/\r?\n/)
  const names = [...typed, ...lines.map((line) => line.trim()).filter((line) => line !== '')]
  if (names.length === 0) return undefined
  const ids: string[] = []
  for (const name of names) ids.push(await resolveId(session, 'payment', name, { merchantId }))
  return ids
}

const describeRedelivered = ({ endpoints }: { readonly endpoints: readonly Redelivered[] }): string => {
  const sum = endpoints.reduce((total, { events }) => total + events, 0)
  const more = endpoints.some((endpoint) => endpoint.more) ? ' There are more: repeat this.' : ''
  const counted = endpoints.some(({ state }) => state === 'possible')
  const none = sum === 0 ? ' Those that wait are sent anyway; those that were delivered: --delivered.' : ''
  return `${sum} events ${counted ? 'would be' : 'are'} sent again.${none}${more}`
}

/** `payin endpoints redeliver-events`. */
export const redeliverEvents = list({
  description:
    'Send events to all endpoints of a merchant again: about payments, or all since a time, those that have failed or were missed. Ends with 1 when an endpoint is disabled.',
  request: 'POST /merchants/{id}/redeliver',
  inputs: {
    id: merchant,
    payments: option(
      '--payment <payment>',
      'only events about this payment: its order or id; again for more',
      paymentNames,
    ),
    file: option(
      '--file <path>',
      'only events about these payments, an order or id in each line; - for standard input',
    ),
    kinds: option('--kinds <kinds>', 'only events of these types, such as payment.paid,payment.expired', words),
    since: timeOrAgo('--since <time>', 'only those since then'),
    until: timeOrAgo('--until <time>', 'only those before'),
    delivered: flag('--delivered', 'also those that were delivered'),
    preview: flag('--preview', 'only count, send nothing'),
  },
  body: async ({ id, payments, file, ...given }, session) => {
    const paymentIds = await findPayments(session, id, payments, file)
    if (paymentIds === undefined && given.since === undefined)
      throw new Failure(['Give --payment, --file or --since.'], 2)
    return { paymentIds, ...given }
  },
  rows: (answer: { endpoints: Redelivered[] }) => answer.endpoints,
  columns: {
    'ADDRESS~': 'url',
    STATE: 'state',
    'EVENTS>': 'events',
    'WHY~': 'message',
    'ID#': 'endpointId',
  },
  empty: 'The merchant has no endpoints. Add one: payin endpoints add <merchant> <url>',
  notes: describeRedelivered,
  failed: ({ endpoints }) => endpoints.some(({ state }) => state === 'refused'),
})
