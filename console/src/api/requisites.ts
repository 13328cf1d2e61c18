import { queryOptions } from '@tanstack/react-query'
import type { BankIssuerAnswer } from '../../../src/operations/banks.ts'
import type { HealthAnswer } from '../../../src/operations/requisite-health.ts'
import type { ChangedStatuses } from '../../../src/operations/requisites.ts'
import type { RequisiteAnswer } from '../../../src/operations/requisites.ts'
import type { NamedAnswer } from '../../../src/operations/search.ts'
import { api } from './client.ts'
import { say } from '../language.ts'

/** One requisite with its health, whatever its status; `null` if there is none. */
export const requisiteHealth = (id: string) =>
  queryOptions({
    queryKey: ['requisites', 'health', id],
    queryFn: async () =>
      (await api.get<{ requisites: HealthAnswer[] }>('/requisites/health', { id })).requisites[0] ?? null,
  })

/** All banks that a requisite may be of. */
export const bankIssuers = queryOptions({
  queryKey: ['bank-issuers'],
  queryFn: async () => (await api.get<{ bankIssuers: BankIssuerAnswer[] }>('/bank-issuers')).bankIssuers,
  staleTime: 60_000,
})

/** Pauses or resumes requisites; each has its own result. */
export const setStatuses = (requisites: readonly string[], status: 'active' | 'paused', reason: string) =>
  api.post<ChangedStatuses>('/requisites/statuses', {
    requisites,
    status,
    ...(reason === '' ? {} : { reason }),
  })

/** Adds requisites, all or none; with `dryRun` it only checks them. */
export const addRequisites = (requisites: readonly object[], dryRun = false) =>
  api.post<{ ids: string[] }>('/requisites', { requisites, dryRun })

type Page = { readonly requisites: readonly RequisiteAnswer[]; readonly nextCursor?: string }

const readAll = async (): Promise<readonly RequisiteAnswer[]> => {
  const all: RequisiteAnswer[] = []
  for (let cursor: string | undefined; ; ) {
    const { requisites, nextCursor }: Page = await api.get('/requisites', { limit: '500', cursor })
    all.push(...requisites)
    if (nextCursor === undefined) return all
    cursor = nextCursor
  }
}

/** All requisites, for the choices of forms and filters. */
export const requisiteChoices = queryOptions({
  queryKey: ['requisites', 'all'],
  queryFn: readAll,
  staleTime: 60_000,
})

/**
 * The ids of the requisites that people have named, by label, number or last digits as on the command line; an `Error` that
 * says why for a name that none or several have.
 */
export const findNamedRequisites = async (names: Iterable<string>): Promise<ReadonlyMap<string, string | Error>> => {
  const find = async (text: string): Promise<string | Error> => {
    if (text === '') return new Error('The requisite is missing.')
    return api.get<NamedAnswer>('/resolve', { kind: 'requisite', text }).then(
      ({ id }) => id,
      (error: Error) => error,
    )
  }
  return new Map(await Promise.all([...new Set(names)].map(async (text) => [text, await find(text)] as const)))
}

type Known = { readonly method: string; readonly bankIssuer: string; readonly number: string; readonly label?: string }

/** How operators know a requisite, in one line. */
export const requisiteName = ({ label, method, bankIssuer, number }: Known): string =>
  `${label ?? `${say(method)} ${bankIssuer}`} ${number}`
