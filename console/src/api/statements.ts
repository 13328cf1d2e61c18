import { queryOptions } from '@tanstack/react-query'
import type { DetailedStatement, StatementAnswer, StatementRowAnswer } from '../../../src/operations/statements.ts'
import type { SourceAnswer } from '../../../src/operations/sources.ts'
import { addressOf, api, ApiProblem, ownHeader, readAnswer } from './client.ts'

/** How often the state of a statement is read while rows are being recorded or taken back, in milliseconds. */
export const progressEveryMs = 500

/** Whether a job is working on it. */
export const isUnderWay = ({ state }: Pick<StatementAnswer, 'state'>): boolean =>
  state === 'reading' || state === 'importing' || state === 'withdrawing'

/** A statement with the outcomes of its rows. */
export const statement = (id: string) =>
  queryOptions({
    queryKey: ['statements', 'one', id],
    queryFn: () => api.get<DetailedStatement>(`/statements/${encodeURIComponent(id)}`),
  })

export type RowState = StatementRowAnswer['state']

/** Rows of a statement that may move money, after a position. */
export const readStatementRows = (id: string, state: RowState | undefined, after: number) =>
  api.get<{ rows: StatementRowAnswer[]; nextAfter?: number }>(`/statements/${encodeURIComponent(id)}/rows`, {
    state,
    after: after === 0 ? undefined : String(after),
    limit: '500',
  })

/** How a file is to be read, for what cannot be recognised. */
export type GivenReading = {
  readonly requisiteId?: string
  readonly sourceId?: string
  readonly charset?: string
  readonly allCredits?: string
  /** JSON. */
  readonly mapping?: string
}

/** Uploads a file for its preview; `onSent` gets the share that has been sent. Throws an `ApiProblem`. */
export const uploadStatement = (
  file: File,
  given: GivenReading,
  onSent: (share: number) => void,
): Promise<StatementAnswer> => {
  const form = new FormData()
  for (const [name, value] of Object.entries(given)) if (value !== '') form.append(name, value)
  // The service reads the form in order, and the file as it arrives.
  form.append('file', file)
  return new Promise((resolve, reject) => {
    // `fetch` does not report how much it has sent.
    const request = new XMLHttpRequest()
    request.open('POST', addressOf('/statements'))
    request.setRequestHeader(...ownHeader)
    request.upload.addEventListener('progress', ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total))
    request.addEventListener('error', () => reject(new ApiProblem(0, 'The file could not be sent to the service.')))
    request.addEventListener('load', () => {
      try {
        resolve(readAnswer(request.status, request.responseText) as StatementAnswer)
      } catch (error) {
        reject(error)
      }
    })
    request.send(form)
  })
}

/** All sources of statements and pushes, by name. */
export const statementSources = queryOptions({
  queryKey: ['sources', 'all'],
  queryFn: async () => (await api.get<{ sources: SourceAnswer[] }>('/statement-sources')).sources,
})
