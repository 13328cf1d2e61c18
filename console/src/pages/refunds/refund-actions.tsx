import { useState } from 'react'
import type { RefundAnswer } from '../../../../src/operations/refunds.ts'
import { api } from '../../api/client.ts'
import { formatMoney } from '../../money.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { personName } from '../../parts/field-values.tsx'
import { ReasonField } from '../../parts/reason-field.tsx'
import { RequisiteField } from '../../parts/requisite-field.tsx'
import { useMay, useSession } from '../../session.ts'

type Props = { readonly refund: RefundAnswer }

const changes = ['refunds', 'ledger', 'overview']
const path = ({ merchantId, id }: RefundAnswer, step: string): string => `/refunds/${merchantId}/${id}/${step}`

const Approve = ({ refund }: Props) => (
  <ActButton
    text="Approve…"
    variant="filled"
    title={`Approve the refund of ${refund.orderId}?`}
    confirm="Approve the refund"
    run={() => api.post<RefundAnswer>(path(refund, 'approve'), {})}
    changes={changes}
    done={({ status }) =>
      status === 'approved'
        ? `The refund of ${refund.orderId} is approved`
        : 'Proposed: another operator must approve the refund, too'
    }
  >
    <p>
      {formatMoney(refund.amount, refund.currency)} of {refund.orderId} go back to the payer. The merchant has paid for
      it already; nothing is sent until you send it in your bank.
    </p>
    {refund.payTo !== undefined && (
      <p>It goes to an account that the merchant has named: nobody knows that it is the payer’s.</p>
    )}
  </ActButton>
)

const Send = ({ refund }: Props) => {
  const [requisiteId, setRequisiteId] = useState(refund.requisiteId)
  return (
    <ActButton
      text="Send…"
      variant="filled"
      title={`Send the refund of ${refund.orderId}?`}
      confirm="Record that it is sent"
      run={() => api.post(path(refund, 'send'), { requisiteId })}
      changes={changes}
      isReady={requisiteId !== ''}
      done={`The refund of ${refund.orderId} is sent`}
    >
      <p>
        From now on the merchant cannot cancel it. Then send {formatMoney(refund.amount, refund.currency)} in your bank,
        with {refund.orderId} in the text. It is done once the bank reports it.
      </p>
      <RequisiteField label="From the account" value={requisiteId} onChange={setRequisiteId} required />
    </ActButton>
  )
}

type EndingProps = Props & { readonly step: 'refuse' | 'fail' }

const words = {
  refuse: {
    text: 'Refuse…',
    title: (of: string) => `Refuse the refund of ${of}?`,
    confirm: 'Refuse the refund',
    done: (of: string) => `The refund of ${of} is refused`,
  },
  fail: {
    text: 'Give up…',
    title: (of: string) => `Give up the refund of ${of}?`,
    confirm: 'Give up the refund',
    done: (of: string) => `The refund of ${of} is given up`,
  },
} as const

const End = ({ refund, step }: EndingProps) => {
  const [reason, setReason] = useState('')
  const { text, title, confirm, done } = words[step]
  return (
    <ActButton
      text={text}
      title={title(refund.orderId)}
      confirm={confirm}
      run={() => api.post<RefundAnswer>(path(refund, step), { reason: reason.trim() })}
      changes={changes}
      isReady={reason.trim() !== ''}
      done={({ status }) =>
        status === 'sent' ? 'Proposed: another operator must give up the refund, too' : done(refund.orderId)
      }
      isGrave
    >
      <p>The merchant gets its balance back, and reads the reason.</p>
      {refund.status === 'sent' && (
        <p>You have sent it: make sure that your bank has the money, and will not send it any more.</p>
      )}
      <ReasonField value={reason} onChange={setReason} />
    </ActButton>
  )
}

/** What the person may do with a refund, and who must do the rest. */
export const RefundActions = ({ refund }: Props) => {
  const mayAccount = useMay('account')
  const session = useSession()
  const own = session.state === 'signed-in' ? `operator:${session.person.name}` : undefined
  const { status, proposedBy, failingBy } = refund
  if (!['requested', 'approved', 'sent'].includes(status)) return null
  const isOwnProposal = status === 'requested' && proposedBy !== undefined && proposedBy === own
  return (
    <>
      {status === 'requested' && proposedBy !== undefined && (
        <p className="second-person">{personName(proposedBy)} has approved it; it takes another operator, too.</p>
      )}
      {failingBy !== undefined && (
        <p className="second-person">
          {personName(failingBy)} would give up this refund: it goes on until another operator does, too.
        </p>
      )}
      {mayAccount && (
        <div className="acts">
          {status === 'requested' && !isOwnProposal && <Approve refund={refund} />}
          {status === 'approved' && <Send refund={refund} />}
          <End refund={refund} step={status === 'requested' ? 'refuse' : 'fail'} />
        </div>
      )}
    </>
  )
}
