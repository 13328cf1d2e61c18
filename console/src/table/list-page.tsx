import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useCallback } from 'react'
import { fieldsOf } from '../../../src/operations/field.ts'
import { type AnyList, rowsNameOf } from '../../../src/operations/operation.ts'
import { api, type Query } from '../api/client.ts'
import { merchants } from '../api/merchants.ts'
import { requisiteChoices, requisiteName } from '../api/requisites.ts'
import { useLive } from '../live.ts'
import { CsvButton } from '../parts/csv-button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { modeFilter } from '../parts/mode-choice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { DetailDrawer, type Details, SideDrawer } from '../parts/side-drawer.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { type Filter, FilterBar } from './filter-bar.tsx'
import { language, say } from '../language.ts'

type Answer = Readonly<Record<string, unknown>> & {
  readonly nextCursor?: string
  readonly count?: { readonly matching: number; readonly isExact: boolean }
}

type Props<Row, Data> = {
  readonly title: string
  /** The list as the operator API declares it, instead of its path, the name of its rows, and whether it has pages. */
  readonly list?: AnyList
  /** The path of the list in the operator API; its export is at the same path with `.csv`. */
  readonly path?: string
  /** The name of its rows in the response; also the first part of the keys of its queries, which acts invalidate. */
  readonly rowsName?: string
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  /** Filters, or names of parameters of the declared list. */
  readonly filters?: readonly (Filter | string)[]
  /** Shown instead of rows. Filters that match nothing have their own message. */
  readonly empty: ReactNode
  /** What opens next to the list for the row whose key is in the address. */
  readonly details?:
    | Details<Data, Row>
    | {
        readonly read?: undefined
        readonly title: (row: Row) => string
        readonly content: (row: Row) => ReactNode
      }
  /** What a click or Enter does instead, if rows have their own pages. */
  readonly onOpen?: (row: Row) => void
  /** Buttons for the whole list. */
  readonly actions?: ReactNode
  /** Whether the list takes `count=true`. */
  readonly hasCount?: boolean
  /** Whether the list has pages. Otherwise it takes neither `cursor` nor `limit`. */
  readonly isPaged?: boolean
  /** Values of the query that the page itself gives. */
  readonly fixed?: Query
  /** Turns the filters of the address into those of the list. Default: as they are. */
  readonly toQuery?: (filters: Query) => Query
  /** Turns the query of the list into that of its export. Default: as it is. */
  readonly toExport?: (query: Query) => Query
  readonly foot?: ReactNode
  /** The tabs of pages that belong together with this one, above its filters. */
  readonly tabs?: ReactNode
  /** What is shown between the filters and the table. */
  readonly children?: ReactNode
}

const NothingFound = ({ onClear }: { readonly onClear: () => void }) => (
  <EmptyState
    title="Nothing has these filters"
    action={
      <Button variant="default" onClick={onClear}>
        Show all
      </Button>
    }
  >
    Amounts and digits must be exact. The search above finds things by whatever you know of them.
  </EmptyState>
)

const same = (filters: Query): Query => filters

const parametersOf = (list: AnyList | undefined) => fieldsOf(list?.query as object | undefined)

/** Where the rows of a list come from. */
const sourceOf = <Row, Data>({ list, path, rowsName, isPaged = true }: Props<Row, Data>) =>
  list === undefined
    ? { path: path ?? '', rowsName: rowsName ?? '', isPaged }
    : {
        path: list.request.replace('GET ', ''),
        rowsName: rowsNameOf(list) ?? '',
        isPaged: parametersOf(list).some(({ name }) => name === 'cursor'),
      }

/** The filters of a list; those that are only named follow from its parameters. */
const useFilters = <Row, Data>({ list, filters = [] }: Props<Row, Data>): readonly Filter[] => {
  const fields = parametersOf(list)
  const names = (of: string): boolean =>
    fields.some((field) => field.of === of && filters.some((filter) => filter === field.name))
  const ofMerchants = useQuery({ ...merchants, enabled: names('merchant') })
  const ofRequisites = useQuery({ ...requisiteChoices, enabled: names('requisite') })
  return filters.map((filter) => {
    if (typeof filter !== 'string') return filter
    if (filter === 'mode') return modeFilter
    const { heading, choices = [], of } = fields.find(({ name }) => name === filter) ?? { heading: filter }
    const label = say(`Any ${heading.toLowerCase()}`)
    if (of === undefined) return { name: filter, label, options: choices, width: 140 }
    const options =
      of === 'merchant'
        ? (ofMerchants.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
        : (ofRequisites.data ?? []).map((each) => ({ value: each.id, label: requisiteName(each) }))
    return { name: filter, label, options, searchable: true, width: 180 }
  })
}

const useRows = <Row, Data>(props: Props<Row, Data>, query: Query) => {
  const { hasCount = false } = props
  const { path, rowsName, isPaged } = sourceOf(props)
  const { refetchInterval } = useLive()
  const list = useInfiniteQuery({
    queryKey: [rowsName, 'list', path, query],
    queryFn: ({ pageParam }) => api.get<Answer>(path, isPaged ? { ...query, limit: '100', cursor: pageParam } : query),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => (isPaged ? nextCursor : undefined),
    // A person who has scrolled far reads old rows; reading all these pages again and again would cost much.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 2 ? false : refetchInterval),
  })
  const count = useQuery({
    queryKey: [rowsName, 'count', path, query],
    queryFn: async () => (await api.get<Answer>(path, { ...query, limit: '1', count: 'true' })).count ?? null,
    enabled: hasCount,
    refetchInterval: refetchInterval && refetchInterval * 4,
  })
  const rows = list.data?.pages.flatMap((page) => (page[rowsName] ?? []) as readonly Row[])
  return { ...list, rows, count: count.data }
}

/**
 * A list of the operator API as a page: its filters and the open row are in the address, more rows are read while
 * scrolling, news appears live; with its export, and its count if it has one.
 */
export const ListPage = <Row, Data = unknown>(props: Props<Row, Data>) => {
  const { title, columns, keyOf, empty, details, actions, fixed, children } = props
  const { path } = sourceOf(props)
  const filters = useFilters(props)
  const { toQuery = same, foot = 'j k to move, Enter to open' } = props
  const { open, ...given }: Query = useSearch({ strict: false })
  const navigate = useNavigate()
  const query = { ...toQuery(given), ...fixed }
  const { limit: _, ...all } = query
  const exported = props.toExport === undefined ? all : props.toExport(all)
  const { rows, count, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useRows(props, query)
  const change = useCallback(
    (changed: Query): void =>
      void navigate({ to: '.', search: (before: Query) => ({ ...before, ...changed }), replace: true }),
    [navigate],
  )
  const onMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [isFetchingNextPage, fetchNextPage])
  const close = (): void => change({ open: undefined })
  const openRow = rows?.find((row) => keyOf(row) === open)
  const hasFilters = Object.values(given).some(Boolean)
  return (
    <>
      <PageHead
        title={title}
        about={count && `${count.isExact ? '' : 'more than '}${count.matching.toLocaleString(language)}`}
      >
        {actions}
        <CsvButton path={path} query={exported} />
      </PageHead>
      {props.tabs}
      {filters.length > 0 && <FilterBar filters={filters} values={given} onChange={change} />}
      {children}
      <DataTable
        label={title}
        columns={columns}
        rows={rows}
        keyOf={keyOf}
        {...(details && { onOpen: (row: Row) => change({ open: keyOf(row) }) })}
        {...(props.onOpen === undefined ? {} : { onOpen: props.onOpen })}
        openKey={open}
        error={rows === undefined ? error : null}
        onRetry={() => void refetch()}
        empty={hasFilters ? <NothingFound onClear={() => void navigate({ to: '.', search: () => ({}) })} /> : empty}
        hasMore={hasNextPage}
        onMore={onMore}
        foot={
          <>
            <span>{rows === undefined ? 'Reading…' : `${rows.length.toLocaleString(language)} shown`}</span>
            <span className="foot-keys">{foot}</span>
          </>
        }
      />
      {details?.read && <DetailDrawer details={details} of={open} row={openRow} onClose={close} />}
      {details && !details.read && (
        <SideDrawer
          isOpen={openRow !== undefined}
          onClose={close}
          title={openRow === undefined ? title : details.title(openRow)}
          query={{ data: openRow, error: null }}
        >
          {details.content}
        </SideDrawer>
      )}
    </>
  )
}
