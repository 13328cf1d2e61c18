import { setImmediate, setTimeout } from 'node:timers/promises'

/** Gives waiting requests their turn; call it between steps that take milliseconds each. */
export const letOthersRun = (): Promise<void> => setImmediate()

/** Waits this long, or until the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined)
