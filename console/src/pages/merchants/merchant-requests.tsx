import { Group, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProfileAnswer } from '../../../../src/operations/merchants.ts'
import { merchantRequests } from '../../api/merchants.ts'
import { useLive } from '../../live.ts'
import { CsvButton } from '../../parts/csv-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { LoggedRequestDrawer, requestColumns } from '../../parts/logged-requests.tsx'
import { DataTable } from '../../table/data-table.tsx'
import { useOpenRow } from '../../table/open-row.ts'

/** The latest requests of a merchant's programs, and their outcomes. */
export const MerchantRequests = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const [outcome, setOutcome] = useState('')
  const [open, setOpen] = useOpenRow()
  const { refetchInterval } = useLive()
  const list = useQuery({ ...merchantRequests(merchant.id, outcome || undefined), refetchInterval })
  return (
    <>
      <Group justify="space-between">
        <SegmentedControl
          aria-label="Requests"
          data={[
            { value: '', label: 'All' },
            { value: 'failed', label: 'Refused or failed' },
          ]}
          value={outcome}
          onChange={setOutcome}
        />
        <CsvButton path={`/merchants/${merchant.id}/requests`} query={{ outcome }} />
      </Group>
      <div className="deliveries">
        <DataTable
          label="Requests"
          columns={requestColumns}
          rows={list.data}
          keyOf={({ id }) => id}
          onOpen={({ id }) => setOpen(id)}
          openKey={open}
          error={list.data === undefined ? list.error : null}
          onRetry={() => void list.refetch()}
          empty={
            <EmptyState title="No requests">
              Requests of the merchant's programs with an access token are listed here, with their answers.
            </EmptyState>
          }
          foot={<span>The last {list.data?.length ?? 0}</span>}
        />
      </div>
      <LoggedRequestDrawer path={`/merchants/${merchant.id}/requests`} of={open} onClose={() => setOpen(undefined)} />
    </>
  )
}
