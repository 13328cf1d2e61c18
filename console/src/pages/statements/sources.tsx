import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SourceAnswer } from '../../../../src/operations/sources.ts'
import { requisiteName } from '../../api/requisites.ts'
import { statementSources } from '../../api/statements.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { SideDrawer } from '../../parts/side-drawer.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import type { Column } from '../../table/data-table.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { useNow } from '../../time.ts'
import { AddSource, SourceActs } from './source-actions.tsx'

const dayMs = 24 * 60 * 60_000

const Seen = ({ at }: { readonly at: string | undefined }) => {
  const now = useNow()
  if (at === undefined) return <Badge tone="over">never</Badge>
  const isLate = now - Date.parse(at) > dayMs
  return (
    <span className={isLate ? 'text-wait' : ''}>
      <Moment at={at} show="relative" />
    </span>
  )
}

const columns: readonly Column<SourceAnswer>[] = [
  { name: 'Source', width: 130, grows: 1, cell: ({ name }) => <span className="strong">{name}</span> },
  { name: 'Last seen', width: 110, cell: ({ lastSeenAt }) => <Seen at={lastSeenAt} /> },
  {
    name: 'Requisites',
    width: 140,
    grows: 2,
    rank: 520,
    cell: ({ requisites = [], requisiteIds }) => (
      <>
        {requisites.slice(0, 2).map(requisiteName).join(', ')}
        {requisiteIds.length > 2 && <span className="quiet"> and {requisiteIds.length - 2} more</span>}
      </>
    ),
  },
  {
    name: 'Pushes',
    width: 150,
    rank: 760,
    cell: ({ keyPrefix }) =>
      keyPrefix === undefined ? <span className="quiet">files only</span> : <code>{keyPrefix}…</code>,
  },
  {
    name: 'Columns',
    width: 100,
    grows: 1,
    rank: 980,
    cell: ({ mapping }) =>
      mapping === undefined ? (
        <span className="quiet">as the file says</span>
      ) : (
        Object.keys(mapping.columns ?? {}).join(', ')
      ),
  },
]

const Details = ({ source }: { readonly source: SourceAnswer }) => {
  const { data: sources = [] } = useQuery(statementSources)
  const { requisites = [], keyPrefix, mapping, sameMoneyAs } = source
  return (
    <>
      <SourceActs source={source} />
      <Facts>
        <Fact name="Last seen">
          <Seen at={source.lastSeenAt} />
        </Fact>
        <Fact name="Pushes">{keyPrefix === undefined ? 'no key: files only' : <code>{keyPrefix}…</code>}</Fact>
        {sameMoneyAs !== undefined && (
          <Fact name="Reports the same money as">
            {sources.find(({ id }) => id === sameMoneyAs)?.name ?? sameMoneyAs}
          </Fact>
        )}
        <Fact name="Columns of its files">
          {mapping === undefined ? 'as the file says' : Object.keys(mapping.columns ?? {}).join(', ')}
        </Fact>
        <Fact name="Added">
          <Moment at={source.createdAt} />
        </Fact>
      </Facts>
      <section>
        <h2>Requisites</h2>
        <ul className="plain-rows">
          {requisites.map((each, at) => (
            <li key={source.requisiteIds[at]}>{requisiteName(each)}</li>
          ))}
        </ul>
      </section>
    </>
  )
}

/** Where statements and pushes come from, and when each was last seen. */
export const Sources = () => {
  const mayAdd = useMay('configure')
  return (
    <ListPage<SourceAnswer>
      title="Sources"
      path="/statement-sources"
      rowsName="sources"
      isPaged={false}
      columns={columns}
      keyOf={({ id }) => id}
      actions={
        <>
          <Button variant="default" component={Link} to="/statements">
            Statements
          </Button>
          {mayAdd && <AddSource />}
        </>
      }
      drawer={(open, onClose, row) => (
        <SideDrawer
          isOpen={open !== undefined && row !== undefined}
          onClose={onClose}
          title={row?.name ?? 'Source'}
          query={{ data: row, error: null }}
        >
          {(source) => <Details source={source} />}
        </SideDrawer>
      )}
      empty={
        <EmptyState title="No sources yet" action={mayAdd && <AddSource />}>
          A source is a bank or a feed that reports money for some requisites. It remembers how to read its files, and
          may have a key to push with.
        </EmptyState>
      }
      foot="Late means silent for a day"
    />
  )
}
