import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SettlementAnswer } from '../../../../src/operations/settlements.ts'
import { api } from '../../api/client.ts'
import { formatMoney } from '../../money.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { ReasonField } from '../../parts/reason-field.tsx'
import { useMay, useSession } from '../../session.ts'
import { SettlementEntries } from './settlement-entries.tsx'
import { personName } from '../../parts/field-values.tsx'
import { typed } from '../../parts/typed.ts'

type Props = { readonly settlement: SettlementAnswer }

const changes = ['settlements', 'ledger', 'overview']
const path = ({ merchantId, id }: SettlementAnswer, step: string): string => `/settlements/${merchantId}/${id}/${step}`

const Approve = ({ settlement }: Props) => (
  <ActButton
    text="Approve…"
    variant="filled"
    title={`Approve ${settlement.reference}?`}
    confirm="Approve the settlement"
    run={() => api.post<SettlementAnswer>(path(settlement, 'approve'), {})}
    changes={changes}
    done={({ status }) =>
      status === 'draft'
        ? 'Taken up: this amount needs somebody else to approve it, too'
        : `${settlement.reference} is approved`
    }
  >
    <p>
      You agree that {formatMoney(settlement.amount, settlement.currency)} of {settlement.merchantName} are paid out to{' '}
      <strong>{settlement.destination}</strong>. The amount is already held; nothing is written to the ledger until it
      is paid.
    </p>
  </ActButton>
)

const Pay = ({ settlement }: Props) => {
  const [externalReference, setReference] = useState('')
  return (
    <ActButton
      text="Paid out…"
      variant="filled"
      title={`Was ${settlement.reference} paid out?`}
      confirm="Record the payout"
      run={() => api.post(path(settlement, 'pay'), { externalReference: externalReference.trim() })}
      changes={changes}
      isReady={externalReference.trim() !== ''}
      done={`${settlement.reference} is paid`}
    >
      <p>The merchant is notified. This cannot be undone.</p>
      <TextInput
        label="What identifies the payout"
        placeholder="0x5f…"
        maxLength={200}
        data-autofocus
        {...typed(externalReference, setReference)}
      />
      <SettlementEntries settlement={settlement} kind="payout" />
    </ActButton>
  )
}

const Fail = ({ settlement }: Props) => {
  const isRequested = settlement.status === 'requested'
  const [reason, setReason] = useState('')
  return (
    <ActButton
      text={isRequested ? 'Refuse…' : 'Mark as failed…'}
      title={isRequested ? `Refuse ${settlement.reference}?` : `Mark ${settlement.reference} as failed?`}
      confirm={isRequested ? 'Refuse the settlement' : 'Mark it as failed'}
      run={() => api.post<SettlementAnswer>(path(settlement, 'fail'), { reason: reason.trim() })}
      changes={changes}
      isReady={reason.trim() !== ''}
      done={({ status }) =>
        status === 'failed'
          ? `${settlement.reference} has failed`
          : 'Proposed: another operator must confirm that it failed'
      }
      isGrave
    >
      <p>Its amount is available to the merchant again.</p>
      <ReasonField value={reason} onChange={setReason} />
      <SettlementEntries settlement={settlement} kind="release" />
    </ActButton>
  )
}

/** What the person may do with a settlement, and who must do the rest. */
export const SettlementActions = ({ settlement }: Props) => {
  const mayAccount = useMay('account')
  const session = useSession()
  const own = session.state === 'signed-in' ? `operator:${session.person.name}` : undefined
  const { status, secondPerson, draftedBy, failingBy } = settlement
  const needsOther = status === 'draft' && secondPerson && draftedBy === own
  if (status === 'paid' || status === 'failed' || status === 'canceled') return null
  return (
    <>
      {needsOther && (
        <p className="second-person">
          You drafted it or took it up, and this amount needs a second person: somebody else with the role owner or
          finance must approve it.
        </p>
      )}
      {failingBy !== undefined && (
        <p className="second-person">
          {personName(failingBy)} would give it up: it goes on until another operator does, too.
        </p>
      )}
      {mayAccount && (
        <div className="acts">
          {(status === 'requested' || (status === 'draft' && !needsOther)) && <Approve settlement={settlement} />}
          {status === 'approved' && <Pay settlement={settlement} />}
          <Fail settlement={settlement} />
        </div>
      )}
    </>
  )
}
