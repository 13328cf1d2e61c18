import { useSyncExternalStore } from 'react'
import { type Query, type QueryClient, type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import type { Topic } from '../../src/rules/notices/topic.ts'
import { liveEveryMs } from './api/query-client.ts'

/** How often a page reads again while the stream is open, for changes that have no topic. */
const rarelyMs = 30_000
/** News that follows faster is collected, so that a busy minute does not make a page read all the time. */
const gatherMs = 1500
const soonMs = 100
/** Replaces topics: everything that was missed while no stream was open. */
const everything = '*'
/** Pauses before a lost stream is opened again; the last one repeats. */
const retryMs = [1000, 2000, 5000, 15_000]

type State = { readonly isPaused: boolean; readonly hasStream: boolean }

let state: State = { isPaused: false, hasStream: false }
const listeners = new Set<() => void>()
const resumed = new Set<() => void>()

const change = (changed: Partial<State>): void => {
  state = { ...state, ...changed }
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The topics that queries depend on, by the first part of their keys; other queries may depend on any. */
const topicsOf: Readonly<Record<string, readonly Topic[]>> = {
  payments: ['payments', 'transfers', 'disputes', 'deliveries', 'records'],
  transfers: ['transfers', 'payments', 'statements', 'records'],
  disputes: ['disputes', 'payments', 'records'],
  deliveries: ['deliveries', 'records'],
  endpoints: ['deliveries', 'records'],
  statements: ['statements', 'records'],
  alerts: ['alerts', 'records'],
  team: ['records'],
  merchants: ['records'],
}

/** Whether a query is one that pages keep up to date, and news of these topics may change its result. */
const isTouched = (query: Query, topics: ReadonlySet<string>): boolean => {
  if (!query.observers.some(({ options }) => Boolean(options.refetchInterval))) return false
  const own = topicsOf[String(query.queryKey[0])]
  return topics.has(everything) || own === undefined || own.some((topic) => topics.has(topic))
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const whenVisible = (): Promise<void> =>
  document.visibilityState === 'visible'
    ? Promise.resolve()
    : new Promise((resolve) => {
        const onChange = (): void => {
          if (document.visibilityState !== 'visible') return
          document.removeEventListener('visibilitychange', onChange)
          resolve()
        }
        document.addEventListener('visibilitychange', onChange)
      })

/** Reads a stream to its end. `onTopics` gets the topics of each message, and `everything` once when it opens. */
const readStream = async (signal: AbortSignal, onTopics: (topics: readonly string[]) => void): Promise<void> => {
  const abort = new AbortController()
  // A browser allows few connections to one service: hidden pages leave theirs to others.
  const onHidden = (): void => {
    if (document.visibilityState === 'hidden') abort.abort()
  }
  document.addEventListener('visibilitychange', onHidden)
  try {
    const answer = await fetch('/console/news', {
      headers: { 'x-payin-console': '1' },
      signal: AbortSignal.any([signal, abort.signal]),
    })
    if (!answer.ok || answer.body === null) throw new Error(`The stream answered ${answer.status}.`)
    change({ hasStream: true })
    onTopics([everything])
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let rest = ''; ; ) {
      const { value, done } = await reader.read()
      if (done) return
      const messages = (rest + value).split('\n\n')
      rest = messages.pop() ?? ''
      for (const message of messages) if (message.startsWith('data: ')) onTopics(message.slice(6).split(' '))
    }
  } finally {
    document.removeEventListener('visibilitychange', onHidden)
    change({ hasStream: false })
  }
}

/** Collects topics, and reads again the queries that depend on them. */
class Asker {
  readonly #queries: QueryClient
  #gathered = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #askedAt = 0

  constructor(queries: QueryClient) {
    this.#queries = queries
  }

  note(topics: readonly string[]): void {
    for (const topic of topics) this.#gathered.add(topic)
    // The first news is shown soon; what follows is shown together.
    const waitMs = Math.max(soonMs, this.#askedAt + gatherMs - Date.now())
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#ask(), waitMs)
  }

  #ask(): void {
    const topics = this.#gathered
    this.#gathered = new Set()
    this.#timer = undefined
    this.#askedAt = Date.now()
    // What is missed while updates are paused is read when they resume.
    if (!state.isPaused)
      void this.#queries.invalidateQueries({ type: 'active', predicate: (query) => isTouched(query, topics) })
  }
}

/** Reads again what a page shows when the service reports news of its topics; ends with the signal. */
export const followNews = async (queries: QueryClient, signal: AbortSignal): Promise<void> => {
  const asker = new Asker(queries)
  const noteResumed = (): void => {
    if (!state.isPaused) asker.note([everything])
  }
  resumed.add(noteResumed)
  signal.addEventListener('abort', () => resumed.delete(noteResumed))
  for (let failures = 0; !signal.aborted; ) {
    await whenVisible()
    const startedAt = Date.now()
    await readStream(signal, (topics) => asker.note(topics)).catch(() => undefined)
    failures = Date.now() - startedAt > gatherMs ? 0 : failures + 1
    await sleep(retryMs[Math.min(failures, retryMs.length - 1)] ?? 0)
  }
}

/** Pauses or resumes the live updates of all pages, until the console is loaded again. */
export const pauseLive = (isPaused: boolean): void => {
  change({ isPaused })
  for (const note of resumed) note()
}

/**
 * Whether pages show news, and how often they read: a value for `refetchInterval`. While the stream is open that is
 * rarely, because news makes queries with an interval read again.
 */
export const useLive = (): { readonly isPaused: boolean; readonly refetchInterval: number | false } => {
  const { isPaused, hasStream } = useSyncExternalStore(subscribe, () => state)
  const everyMs = hasStream ? rarelyMs : liveEveryMs
  return { isPaused, refetchInterval: isPaused ? false : everyMs }
}

/** A query whose result a page keeps up to date. */
export const useLiveQuery = <Data, Selected = Data, Key extends QueryKey = QueryKey>(
  options: UseQueryOptions<Data, Error, Selected, Key>,
) => useQuery({ refetchInterval: useLive().refetchInterval, ...options })
