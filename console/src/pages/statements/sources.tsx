import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SourceAnswer, sources } from '../../../../src/operations/sources.ts'
import { sayMapping } from '../../../../src/operations/statement-mapping.ts'
import { requisiteName } from '../../api/requisites.ts'
import { statementSources } from '../../api/statements.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { useNow } from '../../time.ts'
import { BindAccounts } from './bind-accounts.tsx'
import { AddSource, SourceActs } from './source-actions.tsx'
import { PickedFiles } from './source-pickup.tsx'

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

const { list } = sources.operations

const columnsText = ({ mapping }: SourceAnswer) =>
  mapping === undefined ? <span className="quiet">as the file says</span> : sayMapping(mapping).join(' · ')

const pushes = {
  ...{ name: 'Pushes', width: 150 },
  cell: ({ keyPrefix }: SourceAnswer) =>
    keyPrefix === undefined ? <span className="quiet">no key: files only</span> : <code>{keyPrefix}…</code>,
}

const lastSeen = {
  ...{ name: 'Last seen', width: 110, rank: 0 },
  cell: ({ lastSeenAt }: SourceAnswer) => <Seen at={lastSeenAt} />,
}

const columns = columnsOf<SourceAnswer>(list, [
  { field: 'name', name: 'Source', width: 130, isStrong: true },
  lastSeen,
  {
    ...{ name: 'Requisites', width: 140, grows: 2 },
    cell: ({ requisites = [], requisiteIds }) => (
      <>
        {requisites.slice(0, 2).map(requisiteName).join(', ')}
        {requisiteIds.length > 2 && <span className="quiet"> and {requisiteIds.length - 2} more</span>}
      </>
    ),
  },
  pushes,
  { name: 'Columns', width: 100, grows: 1, cell: columnsText },
])

const Details = ({ source }: { readonly source: SourceAnswer }) => {
  const { data: known = [] } = useQuery(statementSources)
  const { requisites = [] } = source
  return (
    <>
      <SourceActs source={source} />
      <FieldFacts
        of={SourceAnswer}
        value={source}
        facts={[
          lastSeen,
          pushes,
          {
            name: 'Reports the same money as',
            cell: ({ sameMoneyAs }) => sameMoneyAs && (known.find(({ id }) => id === sameMoneyAs)?.name ?? sameMoneyAs),
          },
          { name: 'Its files are read by', cell: columnsText },
          { name: 'Files come from', cell: ({ pickup }) => pickup?.address },
          { name: 'Mails of', cell: ({ pickup }) => pickup?.senders?.join(', ') || undefined },
          { name: 'Senders checked by', cell: ({ pickup }) => pickup?.checkedBy },
          { name: "Server's key", cell: ({ pickup }) => pickup?.hostKey },
          { name: 'Imported without a person', cell: ({ pickup }) => pickup && (pickup.importsAlone ? 'yes' : 'no') },
          { field: 'pickedUpAt', name: 'Last looked at' },
          { field: 'pickupProblem' },
          { field: 'createdAt', name: 'Added' },
        ]}
      />
      <section>
        <h2>Requisites</h2>
        <ul className="plain-rows">
          {requisites.map((each, at) => (
            <li key={source.requisiteIds[at]}>{requisiteName(each)}</li>
          ))}
        </ul>
      </section>
      {source.pickup !== undefined && <PickedFiles source={source} />}
    </>
  )
}

/** Where statements and pushes come from, and when each was last seen. */
export const Sources = () => {
  const mayAdd = useMay('configure')
  const mayBind = useMay('reconcile')
  return (
    <ListPage<SourceAnswer>
      title="Sources"
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      actions={
        <>
          <Button variant="default" component={Link} to="/statements">
            Statements
          </Button>
          {mayBind && <BindAccounts />}
          {mayAdd && <AddSource />}
        </>
      }
      details={{ title: ({ name }) => name, content: (source) => <Details source={source} /> }}
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
