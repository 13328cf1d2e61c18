/** Lets requests that have come meanwhile go first: between two things of which each takes up to milliseconds. */
export const letOthersRun = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
