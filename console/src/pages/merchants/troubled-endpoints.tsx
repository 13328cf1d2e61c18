import { useNavigate } from '@tanstack/react-router'
import { type TroubledEndpoint, troubledEndpoints } from '../../../../src/operations/endpoints.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'

const { troubled } = troubledEndpoints

const columns = columnsOf<TroubledEndpoint>(troubled, [
  { field: 'url', name: 'Endpoint', grows: 2, isStrong: true, second: 'merchantId' },
  {
    ...{ name: 'State', width: 104, rank: 0 },
    cell: ({ enabled }) => <Badge tone="bad">{enabled ? 'failing' : 'disabled'}</Badge>,
  },
  {
    ...{ name: 'Since', width: 112 },
    cell: ({ failingSince, disabledAt }) => <Moment at={disabledAt ?? failingSince} show="relative" />,
  },
])

/** Endpoints of all merchants that do not get their notifications; each opens with its deliveries. */
export const TroubledEndpoints = () => {
  const navigate = useNavigate()
  return (
    <ListPage<TroubledEndpoint>
      title="Failing endpoints"
      list={troubled}
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
