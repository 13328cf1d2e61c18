import './matching.css'
import { Button, Kbd, SegmentedControl } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import type { DecisionWord } from '../../../../src/domain/transfer.ts'
import type { TransferDetails } from '../../../../src/http/operator-api/inbox.ts'
import { formatList } from '../../../../src/domain/statement-format.ts'
import { type Query, addressOf } from '../../api/client.ts'
import { requisiteChoices } from '../../api/requisites.ts'
import { keyText, readWaiting, transferDetails, waitingCount, type Wanted } from '../../api/transfers.ts'
import { useLive } from '../../live.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { Icon } from '../../parts/icon.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { useMay } from '../../session.ts'
import { useKeys } from '../../shell/use-keys.ts'
import { FilterBar } from '../../table/filter-bar.tsx'
import { startUploads } from '../../uploads.ts'
import { BankDifference } from './bank-difference.tsx'
import { ReasonDialog, SplitDialog } from './decide-dialogs.tsx'
import { matchingFilters, toTransferQuery } from './matching-filters.ts'
import { Queue } from './queue.tsx'
import { takeCandidate } from './take-candidate.ts'
import { TakeExact } from './take-exact.tsx'
import { type Act, TransferPanel } from './transfer-panel.tsx'
import { useDecisions } from './use-decisions.ts'
import { usePlace } from './use-place.ts'

const route = getRouteApi('/inside/matching')

/** Most transfers in one request. */
const mostAtOnce = 1000

const shows = [
  { value: 'false', label: 'Waiting' },
  { value: 'true', label: 'Parked' },
]

const useQueue = (filters: Query, decided: ReadonlySet<string>) => {
  const { refetchInterval } = useLive()
  const list = useInfiniteQuery({
    queryKey: ['transfers', 'waiting', filters],
    queryFn: ({ pageParam }) => readWaiting(filters, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 2 ? false : refetchInterval),
  })
  const count = useQuery({ ...waitingCount(filters), refetchInterval })
  const rows = list.data?.pages.flatMap(({ transfers }) => transfers).filter((row) => !decided.has(keyText(row)))
  return { ...list, rows, count: count.data }
}

const Empty = ({ isParked }: { readonly isParked: boolean }) =>
  isParked ? (
    <EmptyState title="Nothing is parked">
      <Kbd size="xs">p</Kbd> puts a transfer here that has to wait, with who parked it and why.
    </EmptyState>
  ) : (
    <EmptyState title="Everything is matched" action={<Link to="/payments">To the payments</Link>}>
      Transfers come from statements, bank feeds and operators. Those that clearly match one payment are credited
      automatically; only the others wait here.
    </EmptyState>
  )

type Asked = { readonly act: 'ignore' | 'park' | 'split'; readonly transfer?: TransferDetails }

/** The queue of transfers in the inbox: the queue on the left, the payments that each may be for on the right. */
export const Matching = () => {
  const { parked = 'false', ...others } = route.useSearch()
  const { data: requisites = [] } = useQuery(requisiteChoices)
  const filters = { parked, ...toTransferQuery(others, requisites) }
  const mayUpload = useMay('reconcile')
  const navigate = useNavigate({ from: '/matching' })
  const goTo = useNavigate()
  const mayDecide = useMay('decide')
  const { decided, make, undo, isUndoing } = useDecisions()
  const { rows, count, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useQueue(filters, decided)
  const place = usePlace(rows)
  const { current, selected } = place
  const [asked, setAsked] = useState<Asked>()
  const [isExactAsked, setExactAsked] = useState(false)
  const onMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [isFetchingNextPage, fetchNextPage])

  const targets = rows?.filter((row) => selected.has(keyText(row))) ?? []
  const own = rows?.find((row) => keyText(row) === current)
  const acted = (targets.length > 0 ? targets : own === undefined ? [] : [own]).slice(0, mostAtOnce)
  // The queue has the candidates of each row; the details are read only for the current one.
  const { data: details } = useQuery({ ...transferDetails(current ?? ''), enabled: current !== undefined })

  const shown = details !== undefined && keyText(details) === current ? details : undefined
  // Reads the next transfer early, so that going on to it does not wait.
  useQuery({ ...transferDetails(place.next ?? ''), enabled: place.next !== undefined })

  const decideAll = (wanted: readonly Wanted[]): void => {
    setAsked(undefined)
    if (wanted.length === 0) return
    place.leave(wanted.map(keyText))
    make(wanted)
  }
  const decideAs = (decision: DecisionWord, note: string): void =>
    decideAll(acted.map(({ requisiteId, id }) => ({ requisiteId, id, decision, note })))
  const act = (wanted: Act): void => {
    if (!mayDecide || acted.length === 0) return
    const isUnparked = acted.every((row) => row.parked !== undefined)
    if (wanted === 'take' && targets.length > 0) decideAll(targets.flatMap((row) => takeCandidate(row, 0) ?? []))
    else if (wanted === 'take') decideAll(takeCandidate(shown ?? own, place.chosen) ?? [])
    else if (wanted === 'park' && isUnparked) decideAs('unpark', 'Back in the queue')
    else if (wanted !== 'split') setAsked({ act: wanted })
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
    Enter: () => act('take'),
    s: () => act('split'),
    i: () => act('ignore'),
    p: () => act('park'),
    u: () => mayDecide && undo(),
    'ctrl+z': () => mayDecide && undo(),
    ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [String(index + 1), () => place.choose(index)])),
  })

  return (
    <>
      <PageHead
        title="Matching"
        about={count && `${count.isExact ? '' : 'more than '}${count.matching.toLocaleString('en')} in the queue`}
      >
        {own === undefined && others['requisiteId'] !== undefined && (
          <BankDifference requisiteId={others['requisiteId']} />
        )}
        {selected.size > 0 && <span className="selection">{selected.size} selected</span>}
        <SegmentedControl
          aria-label="Which"
          data={shows}
          value={parked}
          onChange={(value) =>
            void navigate({ search: (before: Query) => ({ ...before, parked: value === 'true' ? value : undefined }) })
          }
        />
        {mayDecide && (
          <>
            <Button variant="default" onClick={() => setExactAsked(true)} disabled={!rows?.length}>
              Take all exact…
            </Button>
            <Button
              variant="default"
              loading={isUndoing}
              onClick={() => undo()}
              leftSection={<Icon name="undo" size={14} />}
              rightSection={<Kbd size="xs">u</Kbd>}
            >
              Undo
            </Button>
          </>
        )}
        <Button
          component="a"
          variant="default"
          className="wide-only"
          href={addressOf('/transfers.csv', { ...filters, unmatched: 'true' })}
          download="transfers.csv"
          leftSection={<Icon name="download" size={14} />}
        >
          CSV
        </Button>
      </PageHead>
      {mayUpload && (
        <FileDrop
          text={`Drop statements here: ${formatList}`}
          onFiles={(files) => {
            startUploads(files)
            void goTo({ to: '/statements' })
          }}
        />
      )}
      <FilterBar
        filters={matchingFilters(requisites)}
        values={others}
        onChange={(changed) => void navigate({ search: (before: Query) => ({ ...before, ...changed }), replace: true })}
      />
      {rows === undefined && error !== null ? (
        <ProblemMessage error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="matching">
          <section className="queue panel" aria-label="Queue">
            <Queue
              rows={rows}
              current={current}
              selected={selected}
              onChoose={(key, event) => place.goTo(key, event.shiftKey ? 'range' : event.ctrlKey ? 'one' : undefined)}
              hasMore={hasNextPage}
              onMore={onMore}
              empty={<Empty isParked={parked === 'true'} />}
            />
          </section>
          <section className="matched panel" aria-label="The chosen transfer" tabIndex={-1}>
            {current === undefined ? (
              <p className="quiet">The chosen transfer is shown here.</p>
            ) : (
              <TransferPanel
                of={current}
                chosen={place.chosen}
                onChoose={place.choose}
                onAct={act}
                mayDecide={mayDecide}
              />
            )}
          </section>
        </div>
      )}
      {(asked?.act === 'ignore' || asked?.act === 'park') && (
        <ReasonDialog
          decision={asked.act}
          count={acted.length}
          isDoubtful={acted.length > 0 && acted.every((row) => row.duplicateOf !== undefined)}
          onDecide={decideAs}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked?.transfer !== undefined && (
        <SplitDialog
          transfer={asked.transfer}
          onClose={() => setAsked(undefined)}
          onSplit={(shares) => {
            const { requisiteId, id } = asked.transfer ?? {}
            if (requisiteId && id) decideAll([{ requisiteId, id, decision: 'assign', shares }])
          }}
        />
      )}
      {isExactAsked && (
        <TakeExact
          rows={rows ?? []}
          onClose={() => setExactAsked(false)}
          onTake={(wanted) => {
            setExactAsked(false)
            decideAll(wanted)
          }}
        />
      )}
    </>
  )
}
