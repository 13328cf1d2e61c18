import { useSyncExternalStore } from 'react'
import { liveEveryMs } from './api/query-client.ts'

let isPaused = false
const listeners = new Set<() => void>()

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Stops or resumes the live updates of all pages, until the console is loaded again. */
export const pauseLive = (paused: boolean): void => {
  isPaused = paused
  for (const listener of listeners) listener()
}

/** Whether pages ask for what is new, and how often: a value for `refetchInterval`. */
export const useLive = (): { readonly isPaused: boolean; readonly refetchInterval: number | false } => {
  const paused = useSyncExternalStore(subscribe, () => isPaused)
  return { isPaused: paused, refetchInterval: paused ? false : liveEveryMs }
}
