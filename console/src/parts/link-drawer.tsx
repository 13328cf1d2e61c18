import { Button, CopyButton } from '@mantine/core'
import { queryOptions } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { type LinkAnswer, LinkState } from '../../../src/operations/links.ts'
import type { PaymentDetails } from '../../../src/operations/payments.ts'
import { api, type Query } from '../api/client.ts'
import { useLiveQuery } from '../live.ts'
import { ActButton } from './act-button.tsx'
import { CopyText } from './copy-text.tsx'
import { Fact, Facts } from './facts.tsx'
import { Icon } from './icon.tsx'
import { LinkAmount, linkUses } from './link-columns.tsx'
import { MoneyText } from './money-text.tsx'
import { Moment } from './moment.tsx'
import { MetadataFact } from './payment-facts.tsx'
import { ProblemMessage } from './problem-message.tsx'
import { QrCode } from './qr-code.tsx'
import type { Details } from './side-drawer.tsx'
import { PaymentBadge, StatusBadge } from './status-badge.tsx'

type Payment = Static<typeof PaymentDetails>

/** The list in which the payments of a link are: the portal's or the operators'. */
type Payments = {
  readonly path: string
  readonly query: Query
  readonly page: '/portal/payments' | '/payments'
  /** The key of a payment on that page. */
  readonly keyOf: (payment: Payment) => string
}

/** How many payments are shown here; their list has the others. */
const shown = 8

/** The address of a link for its payers: to copy, and to scan or print. */
export const LinkAddress = ({ url }: { readonly url: string }) => (
  <div className="link-address">
    <QrCode text={url} label="QR code of the payment link" />
    <div className="link-copy">
      <CopyText text={url} />
      <CopyButton value={url}>
        {({ copied, copy }) => (
          <Button variant="filled" leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />} onClick={copy}>
            {copied ? 'Copied' : 'Copy the link'}
          </Button>
        )}
      </CopyButton>
      <Button variant="default" component="a" href={url} target="_blank" rel="noreferrer">
        Open the page
      </Button>
    </div>
  </div>
)

const PaymentsOf = ({ link, payments }: { readonly link: LinkAnswer; readonly payments: Payments }) => {
  const { path, page, keyOf } = payments
  const query = { ...payments.query, linkId: link.id }
  const { data, error, refetch } = useLiveQuery({
    queryKey: ['payments', 'of-link', path, query],
    queryFn: () => api.get<{ payments: Payment[]; nextCursor?: string }>(path, { ...query, limit: String(shown) }),
  })
  return (
    <section aria-label="Payments of the link">
      <h2>Payments</h2>
      {data === undefined && error !== null && <ProblemMessage error={error} onRetry={() => void refetch()} />}
      {data?.payments.length === 0 && <p className="quiet">Nobody has started a payment from it yet.</p>}
      <ul className="link-payments">
        {data?.payments.map((payment) => (
          <li key={payment.id}>
            <Link to={page} search={{ open: keyOf(payment) }}>
              <Moment at={payment.createdAt} />
            </Link>
            <MoneyText amount={payment.amount} currency={payment.currency} />
            <PaymentBadge status={payment.status} />
          </li>
        ))}
      </ul>
      {data !== undefined && data.payments.length > 0 && (
        <Link to={page} search={query}>
          All payments of the link
        </Link>
      )}
    </section>
  )
}

type Props = {
  readonly link: LinkAnswer
  readonly path: string
  readonly mayChange: boolean
  readonly payments: Payments
}

const Content = ({ link, path, mayChange, payments }: Props) => (
  <>
    <div className="drawer-amount">
      <span className="strong">
        <LinkAmount link={link} />
      </span>
      <StatusBadge of={LinkState} word={link.state} />
    </div>
    {link.state === 'open' && <LinkAddress url={link.url} />}
    {mayChange && link.state !== 'closed' && (
      <div className="drawer-actions">
        <ActButton
          text="Close the link…"
          title={`Close “${link.title}”?`}
          confirm="Close the link"
          isGrave
          run={() => api.post(`${path}/${link.id}/close`, {})}
          changes={['links']}
          done="The link is closed"
        >
          <p>
            Nobody can start a payment from it any more. Payments that were started continue. This cannot be undone.
          </p>
        </ActButton>
      </div>
    )}
    <Facts>
      {link.description !== undefined && <Fact name="Description">{link.description}</Fact>}
      <Fact name="Paid">{linkUses(link)}</Fact>
      <Fact name="Under way">{link.payments.underWay}</Fact>
      <Fact name="Method">{link.method ?? 'the payer chooses'}</Fact>
      <Fact name="Ends">{link.endsAt === undefined ? 'never' : <Moment at={link.endsAt} />}</Fact>
      {link.returnUrl !== undefined && (
        <Fact name="Returns to">
          <CopyText text={link.returnUrl} />
        </Fact>
      )}
      <MetadataFact payment={link} />
      <Fact name="Created">
        <Moment at={link.createdAt} />
        <span className="quiet small">by {link.createdBy}</span>
      </Fact>
      {link.closedAt !== undefined && <Fact name="Closed" at={link.closedAt} />}
      <Fact name="Link">
        <CopyText text={link.id} />
      </Fact>
    </Facts>
    <PaymentsOf link={link} payments={payments} />
  </>
)

/** A payment link of the list at `path` of the API: its address, its terms, and its payments. */
export const linkDetails = (path: string, mayChange: boolean, payments: Payments): Details<LinkAnswer> => ({
  read: (id) =>
    queryOptions({ queryKey: ['links', 'one', path, id], queryFn: () => api.get<LinkAnswer>(`${path}/${id}`) }),
  name: 'Payment link',
  title: ({ title }) => title,
  content: (link) => <Content link={link} path={path} mayChange={mayChange} payments={payments} />,
})
