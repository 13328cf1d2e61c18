import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { merchantModes, merchantStatuses } from '../../../../src/rules/merchants/merchant.ts'
import { MerchantAnswer } from '../../../../src/operations/merchants.ts'
import { merchants } from '../../api/merchants.ts'
import { useLive } from '../../live.ts'
import { CsvButton } from '../../parts/csv-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useMay } from '../../session.ts'
import { DataTable } from '../../table/data-table.tsx'
import { columnsOf } from '../../table/field-columns.tsx'
import { type Filter, FilterBar } from '../../table/filter-bar.tsx'
import { AddMerchant } from './add-merchant.tsx'
import './merchants.css'
import { language } from '../../language.ts'

const route = getRouteApi('/inside/merchants')

const columns = columnsOf<MerchantAnswer>(MerchantAnswer, [
  {
    ...({ field: 'name', name: 'Merchant', width: 140, grows: 2, isStrong: true } as const),
    second: ({ settings: { returnHosts } }) => returnHosts.join(', ') || 'no host yet',
  },
  { field: 'mode', width: 96, rank: 1 },
  { field: 'status', name: 'State', width: 96, rank: 0, whenNarrow: 'mode' },
  {
    ...{ name: 'Colour', width: 96, rank: 2 },
    cell: ({ settings: { accent } }) =>
      accent === null ? (
        <span className="quiet">–</span>
      ) : (
        <span className="colour">
          <span style={{ background: accent }} />
          <code>{accent}</code>
        </span>
      ),
  },
  {
    ...({ name: 'Open payments', width: 120, align: 'end', rank: 3 } as const),
    cell: ({ settings: { maxOpenPayments } }) =>
      maxOpenPayments === null ? (
        <span className="quiet">no limit</span>
      ) : (
        <span className="figures">at most {maxOpenPayments.toLocaleString(language)}</span>
      ),
  },
  { field: 'createdAt', name: 'Added', rank: 2 },
])

const filters: readonly Filter[] = [
  { name: 'name', label: 'Name', width: 160 },
  { name: 'mode', label: 'Live and sandbox', options: merchantModes, width: 158 },
  { name: 'status', label: 'Any state', options: merchantStatuses, width: 124 },
]

/** The merchants of this installation. */
export const Merchants = () => {
  const search = route.useSearch()
  const navigate = useNavigate()
  const mayAdd = useMay('configure')
  const { refetchInterval } = useLive()
  const { data, error, refetch } = useQuery({ ...merchants, refetchInterval: refetchInterval && refetchInterval * 4 })
  const { name = '', mode, status } = search
  const rows = data?.filter(
    (each) =>
      each.name.toLowerCase().includes(name.toLowerCase()) &&
      (mode === undefined || each.mode === mode) &&
      (status === undefined || each.status === status),
  )
  return (
    <>
      <PageHead title="Merchants" about={data && `${data.length}`}>
        <CsvButton path="/merchants" query={search} />
        {mayAdd && <AddMerchant />}
      </PageHead>
      <FilterBar
        filters={filters}
        values={search}
        onChange={(changed) => void navigate({ to: '/merchants', search: { ...search, ...changed }, replace: true })}
      />
      <DataTable
        label="Merchants"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/merchants/$merchantId', params: { merchantId: id } })}
        error={data === undefined ? error : null}
        onRetry={() => void refetch()}
        empty={
          data?.length === 0 ? (
            <EmptyState title="No merchants yet" action={mayAdd && <AddMerchant />}>
              A merchant is a shop that asks for payments. Add one to get its first token; its server can then create
              payments.
            </EmptyState>
          ) : (
            <EmptyState title="No merchant matches these filters">Clear them to see all merchants.</EmptyState>
          )
        }
        foot={
          <>
            <span>{rows === undefined ? 'Reading…' : `${rows.length} shown`}</span>
            <span className="foot-keys">j k to move, Enter to open</span>
          </>
        }
      />
    </>
  )
}
