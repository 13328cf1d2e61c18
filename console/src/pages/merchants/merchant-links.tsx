import { Group, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProfileAnswer } from '../../../../src/operations/merchants.ts'
import { merchantLinks } from '../../api/merchants.ts'
import { useLive } from '../../live.ts'
import { CsvButton } from '../../parts/csv-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { linkColumns, linkStateOptions } from '../../parts/link-columns.tsx'
import { LinkDrawer } from '../../parts/link-drawer.tsx'
import { useMay } from '../../session.ts'
import { DataTable } from '../../table/data-table.tsx'
import { useOpenRow } from '../../table/open-row.ts'

/** A merchant's payment links. */
export const MerchantLinks = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const [state, setState] = useState('')
  const [open, setOpen] = useOpenRow()
  const mayChange = useMay('support')
  const { refetchInterval } = useLive()
  const list = useQuery({ ...merchantLinks(merchant.id, state || undefined), refetchInterval })
  return (
    <>
      <Group justify="space-between">
        <SegmentedControl
          aria-label="Payment links"
          data={[{ value: '', label: 'All' }, ...linkStateOptions]}
          value={state}
          onChange={setState}
        />
        <CsvButton path={`/merchants/${merchant.id}/links`} query={{ state }} />
      </Group>
      <div className="deliveries">
        <DataTable
          label="Payment links"
          columns={linkColumns}
          rows={list.data}
          keyOf={({ id }) => id}
          onOpen={({ id }) => setOpen(id)}
          openKey={open}
          error={list.data === undefined ? list.error : null}
          onRetry={() => void list.refetch()}
          empty={
            <EmptyState title={state === '' ? 'No payment links' : 'No payment links in this state'}>
              Pages where people pay; the merchant needs no server. Merchants create them in the portal or through the
              API.
            </EmptyState>
          }
          foot={<span>The last {list.data?.length ?? 0}</span>}
        />
      </div>
      <LinkDrawer
        path={`/merchants/${merchant.id}/links`}
        of={open}
        onClose={() => setOpen(undefined)}
        mayChange={mayChange}
        payments={{
          ...{ path: '/payments', query: { merchantId: merchant.id }, page: '/payments' },
          keyOf: ({ id }) => `${merchant.id}/${id}`,
        }}
      />
    </>
  )
}
