import './matching.css'
import { Button, Kbd } from '@mantine/core'
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ComponentProps, useCallback, useState } from 'react'
import { formatList } from 'bank-files/pure'
import type { Query } from '../../api/client.ts'
import { requisiteChoices } from '../../api/requisites.ts'
import { keyText, readWaiting, transferDetails, waitingCount } from '../../api/transfers.ts'
import { useLive } from '../../live.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { useMay } from '../../session.ts'
import { FilterBar } from '../../table/filter-bar.tsx'
import { startUploads } from '../../uploads.ts'
import { AskedDialog } from './asked-dialog.tsx'
import { BankDifference } from './bank-difference.tsx'
import { matchingFilters, toTransferQuery } from './matching-filters.ts'
import { MatchingHead } from './matching-head.tsx'
import { Queue } from './queue.tsx'
import { type Act, TransferPanel } from './transfer-panel.tsx'
import { useActs } from './use-acts.ts'
import { useDecisions } from './use-decisions.ts'
import { usePlace } from './use-place.ts'

const route = getRouteApi('/inside/matching')

const useQueue = (filters: Query, decided: ReadonlySet<string>) => {
  const { refetchInterval } = useLive()
  const list = useInfiniteQuery({
    queryKey: ['transfers', 'waiting', filters],
    queryFn: ({ pageParam }) => readWaiting(filters, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 2 ? false : refetchInterval),
  })
  const [waiting, parked] = useQueries({
    queries: [undefined, 'true'].map((only) => ({ ...waitingCount({ ...filters, parked: only }), refetchInterval })),
  })
  const rows = list.data?.pages.flatMap(({ transfers }) => transfers).filter((row) => !decided.has(keyText(row)))
  return { ...list, rows, counts: { waiting: waiting?.data, parked: parked?.data } }
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

type PanesProps = {
  readonly queue: Pick<ComponentProps<typeof Queue>, 'rows' | 'hasMore' | 'onMore' | 'empty'>
  readonly place: ReturnType<typeof usePlace>
  readonly onAct: (act: Act) => void
  readonly mayDecide: boolean
}

const Panes = ({ queue, place, onAct, mayDecide }: PanesProps) => {
  const { current, selected, chosen } = place
  // A narrow screen shows either the queue or what was opened from it.
  const [isOpen, setOpen] = useState(false)
  return (
    <div className={isOpen && current !== undefined ? 'matching open' : 'matching'}>
      <section className="queue panel" aria-label="Queue">
        <Queue
          {...queue}
          current={current}
          selected={selected}
          onChoose={(key, event) => {
            place.goTo(key, event.shiftKey ? 'range' : event.ctrlKey ? 'one' : undefined)
            setOpen(true)
          }}
        />
      </section>
      <section className="matched panel" aria-label="The chosen transfer" tabIndex={-1}>
        <Button
          className="to-queue"
          variant="subtle"
          leftSection={<Icon name="undo" size={14} />}
          onClick={() => setOpen(false)}
        >
          Back to the queue
        </Button>
        {current === undefined ? (
          <p className="quiet">The chosen transfer is shown here.</p>
        ) : (
          <TransferPanel of={current} chosen={chosen} onChoose={place.choose} onAct={onAct} mayDecide={mayDecide} />
        )}
      </section>
    </div>
  )
}

/** The queue of transfers in the inbox: the queue on the left, the payments that each may be for on the right. */
export const Matching = () => {
  const { parked = 'false', ...others } = route.useSearch()
  const { data: requisites = [] } = useQuery(requisiteChoices)
  const filters = { parked, ...toTransferQuery(others, requisites) }
  const mayUpload = useMay('reconcile')
  const navigate = useNavigate({ from: '/matching' })
  const goTo = useNavigate()
  const { decided, make, undo, isUndoing } = useDecisions()
  const { rows, counts, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useQueue(filters, decided)
  const place = usePlace(rows)
  const { own, acted, asked, setAsked, act, decide, mayDecide } = useActs(rows, place, { make, undo })
  const onMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [isFetchingNextPage, fetchNextPage])

  // Reads the next transfer early, so that going on to it does not wait.
  useQuery({ ...transferDetails(place.next ?? ''), enabled: place.next !== undefined })

  return (
    <>
      <MatchingHead
        counts={counts}
        selectedCount={place.selected.size}
        parked={parked}
        onParked={(value) =>
          void navigate({ search: (before: Query) => ({ ...before, parked: value === 'true' ? value : undefined }) })
        }
        filters={{ ...filters, unmatched: 'true' }}
        {...(mayDecide && {
          decide: {
            onUndo: () => undo(),
            isUndoing,
            ...(rows?.length && { onAssignExact: () => setAsked({ act: 'exact' }) }),
          },
        })}
      >
        {own === undefined && others['requisiteId'] !== undefined && (
          <BankDifference requisiteId={others['requisiteId']} />
        )}
      </MatchingHead>
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
        <Panes
          queue={{ rows, hasMore: hasNextPage, onMore, empty: <Empty isParked={parked === 'true'} /> }}
          place={place}
          onAct={act}
          mayDecide={mayDecide}
        />
      )}
      {asked !== undefined && (
        <AskedDialog
          asked={asked}
          rows={rows ?? []}
          acted={acted}
          onDecide={decide}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}
