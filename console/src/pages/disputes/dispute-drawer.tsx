import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { DisputeState, type OperatorDispute } from '../../../../src/operations/disputes.ts'
import { disputeDetails } from '../../api/disputes.ts'
import { useLive } from '../../live.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { FileViewer, type SentFile } from '../../parts/file-viewer.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { SideDrawer } from '../../parts/side-drawer.tsx'
import { PaymentBadge, StatusBadge } from '../../parts/status-badge.tsx'
import { DisputeActions } from './dispute-actions.tsx'
import { reasonText } from './reason-text.ts'
import { Due } from './due.tsx'

const DisputeFacts = ({ dispute }: { readonly dispute: OperatorDispute }) => (
  <Facts>
    <Fact name="Payment">
      <Link to="/payments" search={{ open: `${dispute.merchantId}/${dispute.paymentId}` }}>
        {dispute.orderId}
      </Link>
      <span>
        <PaymentBadge status={dispute.status} />
      </span>
    </Fact>
    <Fact name="Asked for">
      <MoneyText amount={dispute.paymentAmount} currency={dispute.currency} />
    </Fact>
    <Fact name="Claimed by">{dispute.claimant}</Fact>
    <Fact name="Opened">
      <Moment at={dispute.openedAt} />
    </Fact>
    <Fact name="Due">
      <Moment at={dispute.dueAt} />
      <span className="small">
        <Due at={dispute.dueAt} isDecided={dispute.decidedAt !== undefined} />
      </span>
    </Fact>
    {dispute.finalAmount !== undefined && (
      <Fact name="Credited">
        <MoneyText amount={dispute.finalAmount} currency={dispute.currency} />
      </Fact>
    )}
    {dispute.decidedAt !== undefined && (
      <Fact name="Decided">
        <Moment at={dispute.decidedAt} />
        <span className="quiet small">{dispute.decidedBy}</span>
      </Fact>
    )}
  </Facts>
)

const steps: Readonly<Record<string, string>> = {
  opened: 'Opened',
  proposed: 'A correction was proposed',
  'evidence-added': 'A file was added',
  'correction-proposed': 'An amount without money was proposed',
  confirmed: 'A second person confirmed the amount',
  asked: 'Asked for more',
  accepted: 'Accepted',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
  reminded: 'Operators were reminded of it',
}

const History = ({ dispute }: { readonly dispute: OperatorDispute }) => (
  <ol className="happenings">
    {dispute.history.map(({ sequence, kind, by, note, at }) => (
      <li key={sequence}>
        <span className="quiet small happening-time">
          <Moment at={at} />
        </span>
        <div>
          <div>
            {steps[kind] ?? kind} <span className="quiet small">by {by.replace('operator:', '')}</span>
          </div>
          {note !== undefined && kind !== 'evidence-added' && <p className="said">{note}</p>}
        </div>
      </li>
    ))}
  </ol>
)

const filesOf = ({ merchantId, id, paymentId, evidence, receipts }: OperatorDispute): SentFile[] => [
  ...evidence.map((file) => ({ ...file, path: `/disputes/${merchantId}/${id}/evidence/${file.id}` })),
  ...receipts.map((file) => ({
    ...file,
    by: 'payer',
    path: `/payments/${merchantId}/${paymentId}/receipts/${file.id}`,
  })),
]

const Content = ({ dispute }: { readonly dispute: OperatorDispute }) => (
  <>
    <div className="drawer-amount">
      <MoneyText amount={dispute.amount} currency={dispute.currency} bold />
      <StatusBadge of={DisputeState} word={dispute.state} />
      <span className="quiet">{reasonText(dispute.reason)}</span>
    </div>
    {dispute.note !== undefined && <p className="said">{dispute.note}</p>}
    <DisputeActions dispute={dispute} />
    <DisputeFacts dispute={dispute} />
    <section>
      <h2>Files</h2>
      <FileViewer
        files={filesOf(dispute)}
        empty="Nobody has sent a file. Use “Ask for more” to request one from the merchant."
      />
    </section>
    <section>
      <h2>What was said and done</h2>
      <History dispute={dispute} />
    </section>
  </>
)

/** A dispute at the side of the queue: its payment, files and messages, and what can be decided. */
export const DisputeDrawer = ({ of, onClose }: { readonly of: string | undefined; readonly onClose: () => void }) => {
  const { refetchInterval } = useLive()
  const query = useQuery({ ...disputeDetails(of ?? ''), enabled: of !== undefined, refetchInterval })
  const { data } = query
  return (
    <SideDrawer
      isOpen={of !== undefined}
      onClose={onClose}
      title={data === undefined ? 'Dispute' : `${data.orderId} · ${data.merchantName ?? ''}`}
      query={query}
    >
      {(dispute) => <Content dispute={dispute} />}
    </SideDrawer>
  )
}
