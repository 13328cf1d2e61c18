import { useSyncExternalStore } from 'react'

/** What waits for a fresh second-factor code; undefined if nothing does. */
let waiting: { readonly promise: Promise<boolean>; readonly end: (isVerified: boolean) => void } | undefined

const listeners = new Set<() => void>()
const changed = (): void => listeners.forEach((listener) => listener())

/** Asks the person for a fresh code, once for everything that needs it. Returns false if they give up. */
export const askForVerification = (): Promise<boolean> => {
  if (waiting) return waiting.promise
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const end = (isVerified: boolean): void => {
    waiting = undefined
    changed()
    resolve(isVerified)
  }
  waiting = { promise, end }
  changed()
  return promise
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Ends the wait for a fresh code; undefined if nothing waits. */
export const useVerification = (): ((isVerified: boolean) => void) | undefined =>
  useSyncExternalStore(subscribe, () => waiting)?.end
