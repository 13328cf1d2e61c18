import type { ProfileAnswer } from '../../../../src/operations/merchants.ts'
import { merchantRequests } from '../../api/merchants.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { requestColumns, requestDetails } from '../../parts/logged-requests.tsx'
import { LastRows } from '../../table/last-rows.tsx'
import { useOpenRow } from '../../table/open-row.ts'

/** The latest requests of a merchant's programs, and their outcomes. */
export const MerchantRequests = ({ merchant: { id } }: { readonly merchant: ProfileAnswer }) => (
  <LastRows
    label="Requests"
    filter="outcome"
    options={[{ value: 'failed', label: 'Refused or failed' }]}
    rows={(outcome) => merchantRequests(id, outcome)}
    path={`/merchants/${id}/requests`}
    columns={requestColumns}
    keyOf={(request) => request.id}
    empty={() => (
      <EmptyState title="No requests">
        Requests of the merchant's programs with an access token are listed here, with their answers.
      </EmptyState>
    )}
    details={requestDetails(`/merchants/${id}/requests`)}
    openRow={useOpenRow()}
  />
)
