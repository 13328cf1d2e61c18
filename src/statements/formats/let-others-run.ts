/** Lets whatever else waits in the process run, between two pieces of a file: reading it must not stop the service. */
export const letOthersRun = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
