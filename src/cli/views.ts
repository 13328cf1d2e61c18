import { viewedLists } from '../domain/saved-view.ts'
import type { View } from '../http/operator-api/views.ts'
import { type Group, list } from './commands.ts'
import { argument, type Inputs, option } from './inputs.ts'
import { paymentFilters } from './payments.ts'
import { printTime } from './print-table.ts'
import { transferFilters } from './transfers.ts'

const table = {
  rows: ({ views }: { views: View[] }) => views,
  empty: 'No views.',
  columns: {
    LIST: 'list',
    'NAME~': 'name',
    'FILTERS~': ({ filters }: View) =>
      Object.entries(filters)
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
    SAVED: ({ savedAt }: View) => printTime(savedAt),
  },
} as const

const saved = {
  name: argument('<name>', 'name of the view'),
  within: option('--within <span>', 'only those of this last span, such as 24h; replaces --from'),
}

/** The filters of a list, without the options of one page or output. */
const ofView = <I extends Inputs>({ limit: _, cursor: _c, count: _n, view: _v, ...inputs }: I) => inputs

const filtersOf = ({ name: _, ...filters }: Readonly<Record<string, unknown>>) => ({ filters })

export const viewCommands: Group = {
  description: 'Your saved filters of lists.',
  examples: [
    'payin views transfers morning --unmatched --within 24h',
    'payin transfers list --view morning',
    'payin views list',
    'payin views delete transfers morning',
  ],
  commands: {
    list: list('GET /views', { ...table, description: 'List your views.' }),
    transfers: list('PUT /views/transfers/{name}', {
      ...table,
      description: 'Save filters of the list of transfers under a name, replacing a view of that name.',
      inputs: { ...saved, ...ofView(transferFilters) },
      body: filtersOf,
    }),
    payments: list('PUT /views/payments/{name}', {
      ...table,
      description: 'Save filters of the list of payments under a name, replacing a view of that name.',
      inputs: { ...saved, ...ofView(paymentFilters) },
      body: filtersOf,
    }),
    delete: list('DELETE /views/{list}/{name}', {
      ...table,
      description: 'Delete a view.',
      inputs: { list: argument('<list>', viewedLists.join(' or ')), name: saved.name },
    }),
  },
}
