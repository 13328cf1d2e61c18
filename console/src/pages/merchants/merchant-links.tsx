import type { ProfileAnswer } from '../../../../src/operations/merchants.ts'
import { linkStates } from '../../../../src/rules/payments/payment-link.ts'
import { merchantLinks } from '../../api/merchants.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { linkColumns } from '../../parts/link-columns.tsx'
import { linkDetails } from '../../parts/link-drawer.tsx'
import { useMay } from '../../session.ts'
import { LastRows } from '../../table/last-rows.tsx'
import { useOpenRow } from '../../table/open-row.ts'

/** A merchant's payment links. */
export const MerchantLinks = ({ merchant: { id } }: { readonly merchant: ProfileAnswer }) => {
  const mayChange = useMay('support')
  const path = `/merchants/${id}/links`
  return (
    <LastRows
      label="Payment links"
      filter="state"
      options={linkStates}
      rows={(state) => merchantLinks(id, state)}
      path={path}
      columns={linkColumns}
      keyOf={(link) => link.id}
      empty={(state) => (
        <EmptyState title={state === '' ? 'No payment links' : 'No payment links in this state'}>
          Pages where people pay; the merchant needs no server. Merchants create them in the portal or through the API.
        </EmptyState>
      )}
      details={linkDetails(path, mayChange, {
        ...{ path: '/payments', query: { merchantId: id }, page: '/payments' },
        keyOf: (payment) => `${id}/${payment.id}`,
      })}
      openRow={useOpenRow()}
    />
  )
}
