import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedTransfer } from '../../../../src/operations/transfers.ts'
import { keyText, transferDetails, type Wanted } from '../../api/transfers.ts'
import { useMay } from '../../session.ts'
import { useKeys } from '../../shell/use-keys.ts'
import type { Asked } from './asked-dialog.tsx'
import { isWeak, assignCandidate } from './assign-candidate.ts'
import type { Act } from './transfer-panel.tsx'
import type { useDecisions } from './use-decisions.ts'
import type { usePlace } from './use-place.ts'

/** Most transfers in one request. */
const mostAtOnce = 1000

/**
 * What can be done about the selected transfers, or else about the current one, by buttons and keys; `asked` is what
 * the person is to answer first.
 */
export const useActs = (
  rows: readonly ListedTransfer[] | undefined,
  place: ReturnType<typeof usePlace>,
  { make, undo }: Pick<ReturnType<typeof useDecisions>, 'make' | 'undo'>,
) => {
  const mayDecide = useMay('decide')
  const [asked, setAsked] = useState<Asked>()
  const { current, selected } = place
  const targets = rows?.filter((row) => selected.has(keyText(row))) ?? []
  const own = rows?.find((row) => keyText(row) === current)
  const acted = (targets.length > 0 ? targets : own === undefined ? [] : [own]).slice(0, mostAtOnce)
  // The queue has the candidates of each row; the details are read only for the current one.
  const { data: details } = useQuery({ ...transferDetails(current ?? ''), enabled: current !== undefined })
  const shown = details !== undefined && keyText(details) === current ? details : undefined

  const decide = (wanted: readonly Wanted[]): void => {
    setAsked(undefined)
    if (wanted.length === 0) return
    place.leave(wanted.map(keyText))
    make(wanted)
  }
  const assign = (): void => {
    const [taken, chosen] = targets.length > 0 ? [acted, 0] : [[shown ?? own], place.chosen]
    const wanted = taken.flatMap((row) => assignCandidate(row, chosen) ?? [])
    const weakCount = taken.filter((row) => assignCandidate(row, chosen) && isWeak(row, chosen)).length
    const candidate = taken.length === 1 ? taken[0]?.suggestions[chosen] : undefined
    if (weakCount === 0) decide(wanted)
    else setAsked({ act: 'weak', wanted, weakCount, ...(candidate && { candidate }) })
  }
  const act = (wanted: Act): void => {
    if (!mayDecide || acted.length === 0) return
    if (wanted === 'assign') assign()
    else if (wanted === 'park' && acted.every((row) => row.parked !== undefined)) {
      const note = 'Back in the queue'
      decide(acted.map(({ requisiteId, id }) => ({ requisiteId, id, decision: 'unpark', note })))
    } else if (wanted !== 'split') setAsked({ act: wanted })
    else if (shown !== undefined && targets.length === 0) setAsked({ act: 'split', transfer: shown })
  }
  useKeys({
    j: () => place.move(1),
    k: () => place.move(-1),
    J: () => place.move(1, 'select'),
    K: () => place.move(-1, 'select'),
    ArrowDown: () => place.move(1),
    ArrowUp: () => place.move(-1),
    x: () => place.toggle(),
    Escape: () => place.clear(),
    Enter: () => act('assign'),
    s: () => act('split'),
    i: () => act('ignore'),
    p: () => act('park'),
    u: () => mayDecide && undo(),
    'ctrl+z': () => mayDecide && undo(),
    ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [String(index + 1), () => place.choose(index)])),
  })
  return { own, acted, asked, setAsked, act, decide, mayDecide }
}
