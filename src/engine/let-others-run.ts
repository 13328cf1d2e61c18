import { setImmediate } from 'node:timers/promises'

/** Gives waiting requests their turn; call it between steps that take milliseconds each. */
export const letOthersRun = (): Promise<void> => setImmediate()
