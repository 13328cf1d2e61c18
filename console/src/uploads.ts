import { useSyncExternalStore } from 'react'
import { ApiProblem } from './api/client.ts'
import { queryClient } from './api/query-client.ts'
import { type GivenReading, uploadStatement } from './api/statements.ts'

/** A file that is being uploaded; it continues whichever page is open. */
export type Upload = {
  readonly key: number
  readonly file: File
  readonly given: GivenReading
  /** Whether its preview opens as soon as it is read: it was chosen alone and its preview has not been opened. */
  readonly isFollowed: boolean
} & (
  | { readonly state: 'waiting' }
  | { readonly state: 'sending'; readonly share: number }
  | { readonly state: 'read'; readonly statementId: string }
  | { readonly state: 'refused'; readonly error: ApiProblem; readonly statementId?: string }
)

let uploads: readonly Upload[] = []
let last = 0
let isSending = false
/** The statement files that this window has uploaded, so that one can be read again in another way. */
const files = new Map<string, { readonly file: File; readonly given: GivenReading }>()
const listeners = new Set<() => void>()

const show = (changed: readonly Upload[]): void => {
  uploads = changed
  for (const listener of listeners) listener()
}

const change = (changed: Upload): void => show(uploads.map((each) => (each.key === changed.key ? changed : each)))

const send = async ({ key, file, given, isFollowed }: Upload): Promise<void> => {
  const own = { key, file, given, isFollowed }
  change({ ...own, state: 'sending', share: 0 })
  try {
    const { id } = await uploadStatement(file, given, (share) => change({ ...own, state: 'sending', share }))
    files.set(id, { file, given })
    change({ ...own, state: 'read', statementId: id })
  } catch (problem) {
    const error = problem instanceof ApiProblem ? problem : new ApiProblem(0, String(problem))
    const { statementId } = error
    if (statementId !== undefined) files.set(statementId, { file, given })
    change({ ...own, state: 'refused', error, ...(statementId === undefined ? {} : { statementId }) })
  }
  await queryClient.invalidateQueries({ queryKey: ['statements'] })
}

const sendAll = async (): Promise<void> => {
  if (isSending) return
  isSending = true
  for (let next = uploads[0]; next !== undefined; ) {
    next = uploads.find(({ state }) => state === 'waiting')
    if (next !== undefined) await send(next)
  }
  isSending = false
}

/** Uploads files, one after the other. */
export const startUploads = (chosen: readonly File[], given: GivenReading = {}): void => {
  const isFollowed = chosen.length === 1
  const added = chosen.map((file): Upload => ({ key: ++last, file, given, isFollowed, state: 'waiting' }))
  show([...uploads, ...added])
  void sendAll()
}

/** The file of a statement and how it was read, if this window has uploaded it. */
export const fileOf = (statementId: string) => files.get(statementId)

/** Stops following an upload, because its preview has been opened. */
export const unfollow = (key: number): void =>
  show(uploads.map((each) => (each.key === key ? { ...each, isFollowed: false } : each)))

/** Forgets an upload that has ended. */
export const forgetUpload = (key: number): void => show(uploads.filter((each) => each.key !== key))

/** The files that were chosen in this window, with their outcomes. */
export const useUploads = (): readonly Upload[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => uploads,
  )
