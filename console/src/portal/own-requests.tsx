import type { RequestAnswer, RequestSummaryAnswer } from '../../../src/operations/requests.ts'
import { own } from '../api/portal.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { requestColumns, requestDetails } from '../parts/logged-requests.tsx'
import { ListPage } from '../table/list-page.tsx'

const path = own('/requests')

/** The latest requests of the merchant's programs, and their outcomes. */
export const OwnRequests = () => (
  <ListPage<RequestSummaryAnswer, RequestAnswer>
    title="Requests"
    path={path}
    rowsName="requests"
    columns={requestColumns}
    keyOf={({ id }) => id}
    filters={[{ name: 'outcome', label: 'Answer', options: [{ value: 'failed', label: 'Refused or failed' }] }]}
    empty={
      <EmptyState title="No requests yet">
        Requests of your programs with an access token appear here with their answers: what was refused, and why.
        Successful polls are counted, one row a minute.
      </EmptyState>
    }
    details={requestDetails(path)}
  />
)
