import { useNavigate } from '@tanstack/react-router'
import type { TroubledEndpoint } from '../../../../src/operations/endpoints.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import type { Column } from '../../table/data-table.tsx'
import { ListPage } from '../../table/list-page.tsx'

const columns: readonly Column<TroubledEndpoint>[] = [
  {
    name: 'Endpoint',
    width: 110,
    grows: 2,
    cell: ({ url, merchantName, merchantId }) => (
      <>
        <span className="strong">{url}</span>
        <span className="second">{merchantName ?? merchantId}</span>
      </>
    ),
  },
  {
    name: 'State',
    width: 104,
    cell: ({ enabled }) => <Badge tone="bad">{enabled ? 'failing' : 'disabled'}</Badge>,
  },
  {
    name: 'Since',
    width: 112,
    rank: 400,
    cell: ({ failingSince, disabledAt }) => <Moment at={disabledAt ?? failingSince} show="relative" />,
  },
]

/** Endpoints of all merchants that do not get their notifications; each opens with its deliveries. */
export const TroubledEndpoints = () => {
  const navigate = useNavigate()
  return (
    <ListPage<TroubledEndpoint>
      title="Failing endpoints"
      path="/endpoints/troubled"
      rowsName="endpoints"
      isPaged={false}
      columns={columns}
      keyOf={({ id }) => id}
      onOpen={({ merchantId, id }) =>
        void navigate({
          to: '/merchants/$merchantId',
          params: { merchantId },
          search: { tab: 'endpoints', endpoint: id },
        })
      }
      empty={
        <EmptyState title="Every endpoint answers">
          Endpoints of merchants that are failing, or that the service disabled because they failed for days, are listed
          here.
        </EmptyState>
      }
      foot="Enter opens the deliveries of the merchant"
    />
  )
}
