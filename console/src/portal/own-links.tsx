import type { LinkAnswer } from '../../../src/operations/links.ts'
import { own } from '../api/portal.ts'
import { linkStates } from '../../../src/rules/payments/payment-link.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { linkColumns } from '../parts/link-columns.tsx'
import { linkDetails } from '../parts/link-drawer.tsx'
import { useScope } from '../session.ts'
import { ListPage } from '../table/list-page.tsx'
import { CreateLink } from './create-link.tsx'
import './portal.css'

const path = own('/links')

const payments: Parameters<typeof linkDetails>[2] = {
  ...{ path: own('/payments'), query: {} },
  page: '/portal/payments',
  keyOf: ({ orderId }) => orderId,
}

/** The merchant's payment links. */
export const OwnLinks = () => {
  const mayChange = useScope('payments:write')
  return (
    <ListPage<LinkAnswer, LinkAnswer>
      title="Payment links"
      path={path}
      rowsName="links"
      columns={linkColumns}
      keyOf={({ id }) => id}
      filters={[{ name: 'state', label: 'Any state', options: linkStates, width: 132 }]}
      actions={mayChange && <CreateLink />}
      empty={
        <EmptyState
          title="No payment links yet"
          action={mayChange ? <CreateLink /> : 'Ask somebody at your shop who may make changes.'}
        >
          A link is a page where people pay you; you need no server. Send it in a message, print its QR code, or put it
          on your website. Each payer gets a separate payment.
        </EmptyState>
      }
      details={linkDetails(path, mayChange, payments)}
    />
  )
}
