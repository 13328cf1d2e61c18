import { DisputeState, OperatorDispute } from '../../../../src/operations/disputes.ts'
import { disputeDetails } from '../../api/disputes.ts'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { FileViewer, type SentFile } from '../../parts/file-viewer.tsx'
import { paymentFact } from '../../parts/payment-link.tsx'
import { Happenings } from '../../parts/happenings.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import type { Details } from '../../parts/side-drawer.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { DisputeActions } from './dispute-actions.tsx'
import { reasonText } from './reason-text.ts'
import { Due } from './due.tsx'
import { personName } from '../../parts/field-values.tsx'

const DisputeFacts = ({ dispute }: { readonly dispute: OperatorDispute }) => (
  <FieldFacts
    of={OperatorDispute}
    value={dispute}
    facts={[
      paymentFact,
      { field: 'paymentAmount', name: 'Asked for' },
      { field: 'claimant', name: 'Claimed by' },
      { field: 'openedAt', name: 'Opened' },
      {
        ...({ field: 'dueAt', name: 'Due' } as const),
        second: ({ dueAt, decidedAt }) => <Due at={dueAt} isDecided={decidedAt !== undefined} />,
      },
      'finalAmount',
      { field: 'decidedAt', name: 'Decided', second: 'decidedBy' },
    ]}
  />
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
  <Happenings
    of={dispute.history.map(({ sequence, kind, by, note, at }) => ({
      ...{ key: sequence, at },
      what: (
        <>
          {steps[kind] ?? kind} <span className="quiet small">by {personName(by)}</span>
        </>
      ),
      details: note !== undefined && kind !== 'evidence-added' && <p className="said">{note}</p>,
    }))}
  />
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
export const detailsOfDispute: Details<OperatorDispute> = {
  read: disputeDetails,
  name: 'Dispute',
  title: ({ orderId, merchantName = '' }) => `${orderId} · ${merchantName}`,
  content: (dispute) => <Content dispute={dispute} />,
}
