import type { LinkAnswer } from '../../../src/http/links/link-fields.ts'
import { own } from '../api/portal.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { linkColumns, linkStateOptions } from '../parts/link-columns.tsx'
import { LinkDrawer } from '../parts/link-drawer.tsx'
import { useScope } from '../session.ts'
import { ListPage } from '../table/list-page.tsx'
import { CreateLink } from './create-link.tsx'
import './portal.css'

const path = own('/links')

const payments: Parameters<typeof LinkDrawer>[0]['payments'] = {
  ...{ path: own('/payments'), query: {} },
  page: '/portal/payments',
  keyOf: ({ orderId }) => orderId,
}

/** The merchant's payment links. */
export const OwnLinks = () => {
  const mayChange = useScope('payments:write')
  return (
    <ListPage<LinkAnswer>
      title="Payment links"
      path={path}
      rowsName="links"
      columns={linkColumns}
      keyOf={({ id }) => id}
      filters={[{ name: 'state', label: 'Any state', options: linkStateOptions, width: 132 }]}
      actions={mayChange && <CreateLink />}
      empty={
        <EmptyState
          title="No payment links yet"
          action={mayChange ? <CreateLink /> : 'It takes somebody of your shop who may change things.'}
        >
          A link is a page at which people pay you, without a server of yours: send it in a message, print its QR code,
          or put it on a page of your own. Each payer gets a payment of their own.
        </EmptyState>
      }
      drawer={(open, onClose) => (
        <LinkDrawer path={path} of={open} onClose={onClose} mayChange={mayChange} payments={payments} />
      )}
    />
  )
}
