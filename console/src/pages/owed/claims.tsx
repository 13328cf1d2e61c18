import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { unpaidStatuses } from '../../../../src/rules/payments/payment.ts'
import { ClaimAnswer, claims } from '../../../../src/operations/claims.ts'
import { api } from '../../api/client.ts'
import { formatMoney } from '../../money.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { FileViewer } from '../../parts/file-viewer.tsx'
import { amountIfOther } from '../../parts/amount-if-other.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { paymentFact } from '../../parts/payment-link.tsx'
import { useMay } from '../../session.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { typed } from '../../parts/typed.ts'

const { list } = claims.operations

const columns = columnsOf<ClaimAnswer>(list, [
  { field: 'orderId', isStrong: true, second: 'merchantName' },
  { field: 'amount', rank: 0, second: amountIfOther },
  { field: 'status', name: 'Payment' },
  'receipts',
  { field: 'paidAt', name: 'Paid, as claimed' },
  { name: 'Claimed', width: 96, cell: ({ receivedAt }) => <Moment at={receivedAt} show="relative" /> },
])

const OpenDispute = ({ claim }: { readonly claim: ClaimAnswer }) => {
  const [note, setNote] = useState('The payer claims to have paid')
  return (
    <ActButton
      text="Open a dispute…"
      variant="filled"
      title={`Open a dispute about ${claim.orderId}?`}
      confirm="Open the dispute"
      isReady={note.trim() !== ''}
      run={() =>
        api.post(`/payments/${claim.merchantId}/${claim.paymentId}/disputes`, {
          amount: claim.amount,
          reason: 'paid-not-credited',
          note: note.trim(),
        })
      }
      changes={['claims', 'disputes', 'payments', 'overview']}
      done="The dispute is open and in the list of disputes"
    >
      <p>
        The payment becomes “disput”, and {formatMoney(claim.amount, claim.currency)} are claimed. Nothing is credited
        until somebody decides.
      </p>
      <Textarea label="Reason" maxLength={1000} autosize {...typed(note, setNote)} />
    </ActButton>
  )
}

const Details = ({ claim }: { readonly claim: ClaimAnswer }) => {
  const mayOpen = useMay('support')
  const { merchantId, paymentId, receipts } = claim
  return (
    <>
      <div className="drawer-amount">
        <MoneyText amount={claim.amount} currency={claim.currency} bold />
        <span className="quiet">is what the payer claims to have sent</span>
      </div>
      {mayOpen && unpaidStatuses.has(claim.status) && (
        <div className="acts">
          <OpenDispute claim={claim} />
        </div>
      )}
      <FieldFacts
        of={ClaimAnswer}
        value={claim}
        facts={[
          paymentFact,
          { field: 'paymentAmount', name: 'Asked for' },
          { field: 'paidAt', name: 'Sent, it says' },
          { field: 'receivedAt', name: 'Claimed' },
        ]}
      />
      <section>
        <h2>Receipts</h2>
        <FileViewer
          files={receipts.map((file) => ({
            ...file,
            by: 'payer',
            path: `/payments/${merchantId}/${paymentId}/receipts/${file.id}`,
          }))}
          empty="The payer sent none. With a file, the claim becomes a dispute as soon as late money can no longer be matched."
        />
      </section>
    </>
  )
}

/** Claims of payers to have paid closed payments. */
export const Claims = () => (
  <ListPage<ClaimAnswer>
    title="Claims"
    list={list}
    columns={columns}
    keyOf={({ id }) => id}
    empty={
      <EmptyState title="No payer claims anything">
        On the page of an expired payment, the payer may say “I have paid” and add a receipt. A claim changes nothing:
        late money is still matched automatically.
      </EmptyState>
    }
    details={{
      title: ({ orderId, merchantName = '' }) => `${orderId} · ${merchantName}`,
      content: (claim) => <Details claim={claim} />,
    }}
  />
)
