/** The most that may be open at once under a key. */
export type OpenLimit = readonly [key: string, most: number]

/** Counts what is open at the moment (streams, uploads) under several keys. */
export const countOpen = () => {
  const counts = new Map<string, number>()
  const add = (key: string, change: number): void => {
    const count = (counts.get(key) ?? 0) + change
    if (count === 0) counts.delete(key)
    else counts.set(key, count)
  }
  return {
    isFull: ([key, most]: OpenLimit): boolean => (counts.get(key) ?? 0) >= most,
    /** Counts one more under each key. Release it with the returned function; a second call does nothing. */
    take: (keys: readonly string[]): (() => void) => {
      let isOpen = true
      for (const key of keys) add(key, 1)
      return () => {
        if (isOpen) for (const key of keys) add(key, -1)
        isOpen = false
      }
    },
  }
}
