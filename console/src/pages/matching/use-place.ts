import { useState } from 'react'
import type { ListedTransfer } from '../../../../src/operations/transfers.ts'
import { keyText } from '../../api/transfers.ts'

/**
 * Where the person is in the queue, which rows are selected and which candidate is chosen. The place is a row, not an
 * index: rows that come or go elsewhere do not move it, and when the row itself leaves, the next one takes its place.
 */
export const usePlace = (rows: readonly ListedTransfer[] | undefined) => {
  const [wanted, setWanted] = useState<{ readonly key: string; readonly index: number }>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [chosen, setChosen] = useState(0)
  const keys = rows?.map(keyText) ?? []
  const found = wanted === undefined ? 0 : keys.indexOf(wanted.key)
  // The index that the row had, if it is gone: another person has decided about it.
  const index = found >= 0 ? found : Math.min(wanted?.index ?? 0, keys.length - 1)
  const current = keys[index]

  const stand = (at: number): void => {
    const key = keys[at]
    if (key === undefined) return
    setWanted({ key, index: at })
    if (at !== index) setChosen(0)
  }
  const add = (from: number, to: number): void => {
    const span = keys.slice(Math.min(from, to), Math.max(from, to) + 1)
    setSelected((before) => new Set([...before, ...span]))
  }
  const toggleAt = (key: string | undefined): void => {
    if (key === undefined) return
    setSelected((before) => {
      const after = new Set(before)
      if (!after.delete(key)) after.add(key)
      return after
    })
  }
  return {
    current,
    next: keys[index + 1],
    chosen,
    selected,
    choose: setChosen,
    /** Moves down or up; with `select`, selects on the way. */
    move: (by: number, how?: 'select'): void => {
      const to = Math.min(Math.max(index + by, 0), keys.length - 1)
      if (how === 'select') add(index, to)
      stand(to)
    },
    /** Goes to a row; `range` selects up to it, `one` selects it, too. */
    goTo: (key: string, how?: 'range' | 'one'): void => {
      const to = keys.indexOf(key)
      if (how === 'range') add(index, to)
      if (how === 'one') toggleAt(key)
      stand(to)
    },
    toggle: () => toggleAt(current),
    clear: () => setSelected(new Set()),
    /** Takes rows out of the queue: the next one that stays becomes the current one. */
    leave: (leaving: readonly string[]): void => {
      const gone = new Set(leaving)
      const next = keys.slice(index).find((key) => !gone.has(key)) ?? keys.findLast((key) => !gone.has(key))
      setSelected(new Set())
      setChosen(0)
      setWanted(next === undefined ? undefined : { key: next, index })
    },
  }
}
