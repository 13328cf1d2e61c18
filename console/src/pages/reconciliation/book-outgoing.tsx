import { SegmentedControl, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { operatorPurposes, type OperatorPurpose, purposeAccount } from '../../../../src/rules/transfers/outgoing.ts'
import type { OutgoingAnswer } from '../../../../src/operations/outgoing.ts'
import type { SettlementAnswer } from '../../../../src/operations/settlements.ts'
import { api } from '../../api/client.ts'
import { formatMoney } from '../../money.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { LedgerEntries } from '../../parts/ledger-entries.tsx'
import { ReasonField } from '../../parts/reason-field.tsx'
import { personName } from '../../parts/field-values.tsx'
import { say } from '../../language.ts'

const purposeWords: Readonly<Record<OperatorPurpose, { readonly label: string; readonly about: string }>> = {
  fee: { label: 'Fee', about: "The bank's fee." },
  settlement: { label: 'Settlement', about: 'Paid out to a merchant, or exchanged for a payout.' },
  'own-account': {
    label: 'Own accounts',
    about:
      'It came in on another requisite of ours; that transfer is ignored. The statement of the other account must be imported first: until then, leave this unexplained.',
  },
  other: { label: 'Other', about: 'Anything else; say what in the reason.' },
}

const usualReasons: Readonly<Record<OperatorPurpose, string>> = {
  fee: 'Fee of the bank',
  settlement: 'Payout to a merchant',
  'own-account': 'Moved between own accounts',
  other: '',
}

const keyOf = ({ requisiteId, id }: Pick<OutgoingAnswer, 'requisiteId' | 'id'>): string => `${requisiteId}/${id}`
const changes = ['outgoing', 'reconciliation', 'ledger', 'overview']

const SettlementField = ({ value, onChange }: { readonly value: string; readonly onChange: (key: string) => void }) => {
  const { data = [] } = useQuery({
    queryKey: ['settlements', 'payable'],
    queryFn: async () => {
      const read = (status: string) =>
        api.get<{ settlements: SettlementAnswer[] }>('/settlements', { status, limit: '100' })
      const [approved, paid] = await Promise.all([read('approved'), read('paid')])
      return [...approved.settlements, ...paid.settlements]
    },
  })
  return (
    <Select
      label="Settlement"
      description="If it was sent for a particular one."
      data={data.map(({ merchantId, id, merchantName, reference, amount, currency }) => ({
        value: `${merchantId}/${id}`,
        label: `${reference} · ${merchantName ?? ''} · ${formatMoney(amount, currency)}`,
      }))}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(chosen ?? '')}
      searchable
      clearable
      comboboxProps={{ zIndex: 400 }}
    />
  )
}

/** What one operator says that it was for, while another one must say the same. */
export const ProposedPurpose = ({ outgoing }: { readonly outgoing: OutgoingAnswer }) =>
  outgoing.proposedBy !== undefined && (
    <p>
      Proposed by {personName(outgoing.proposedBy)} as {say(outgoing.purpose ?? 'the same money')} ({outgoing.reason}):
      it is decided once another operator says the same.
    </p>
  )

/** Books outgoing money to what it was for. */
export const BookOutgoing = ({ outgoing }: { readonly outgoing: OutgoingAnswer }) => {
  const { currency, amount, givenBack, documentId } = outgoing
  const proposed = operatorPurposes.find((each) => each === outgoing.purpose) ?? 'fee'
  const [purpose, setPurpose] = useState<OperatorPurpose>(proposed)
  const [reason, setReason] = useState(usualReasons[proposed])
  const [settlement, setSettlement] = useState(
    proposed === 'settlement' && documentId !== undefined ? `${outgoing.merchantId}/${documentId}` : '',
  )
  const choose = (chosen: string): void => {
    const wanted = operatorPurposes.find((each) => each === chosen) ?? 'other'
    if (reason === usualReasons[purpose]) setReason(usualReasons[wanted])
    setPurpose(wanted)
  }
  const [merchantId, settlementId] = settlement.split('/')
  const isSettlement = purpose === 'settlement' && settlement !== ''
  const [debit, credit] = [purposeAccount[purpose](currency), 'unexplained']
  return (
    <ActButton
      text="Book…"
      title={`What were ${formatMoney(amount, currency)} for?`}
      confirm="Book it"
      run={() =>
        api.post<OutgoingAnswer>(`/outgoing/${keyOf(outgoing)}/book`, {
          purpose,
          reason: reason.trim(),
          ...(isSettlement ? { merchantId, settlementId } : {}),
        })
      }
      changes={changes}
      isReady={reason.trim() !== ''}
      done={({ state }) => (state === 'booked' ? 'Booked' : 'Proposed: another operator books the same, too')}
    >
      <SegmentedControl
        aria-label="Purpose"
        fullWidth
        value={purpose}
        onChange={choose}
        data={operatorPurposes.map((each) => ({ value: each, label: purposeWords[each].label }))}
      />
      <p className="quiet">{purposeWords[purpose].about}</p>
      {purpose === 'settlement' && <SettlementField value={settlement} onChange={setSettlement} />}
      <ReasonField value={reason} onChange={setReason} />
      <LedgerEntries
        entries={[
          {
            kind: 'book',
            debit: givenBack ? credit : debit,
            credit: givenBack ? debit : credit,
            currency,
            amount,
          },
        ]}
        names={{}}
        empty=""
      />
    </ActButton>
  )
}

/** Unbooks outgoing money. */
export const UnbookOutgoing = ({ outgoing }: { readonly outgoing: OutgoingAnswer }) => {
  const [reason, setReason] = useState('')
  return (
    <ActButton
      text="Unbook…"
      title="Make it unexplained again?"
      confirm="Unbook it"
      run={() => api.post<OutgoingAnswer>(`/outgoing/${keyOf(outgoing)}/unbook`, { reason: reason.trim() })}
      changes={changes}
      isReady={reason.trim() !== ''}
      done={({ state }) => (state === 'booked' ? 'Proposed: another operator unbooks it, too' : 'Unexplained again')}
    >
      <p>
        Reversing entries take the booking back; the money then waits until somebody says what it was for. A refund that
        it carried out is owed to its payer again.
      </p>
      <ReasonField value={reason} onChange={setReason} />
    </ActButton>
  )
}

type Proposal = OutgoingAnswer['proposals'][number]

const proposalWords: Readonly<Record<Proposal['purpose'], string>> = {
  refund: 'Refund',
  'refund-reversal': 'A refund that came back',
  reversal: 'Taken back by the bank',
}

/** What outgoing money seems to have returned to a payer, for an operator to confirm. */
export const Proposals = ({ outgoing, mayBook }: { readonly outgoing: OutgoingAnswer; readonly mayBook: boolean }) => (
  <ul className="proposals">
    {outgoing.proposals.map((proposal) => {
      const { purpose, merchantId, paymentId, transferId, documentId, orderId, reasons } = proposal
      const named =
        documentId !== undefined
          ? { documentId }
          : transferId !== undefined
            ? { transferId }
            : { merchantId, paymentId }
      return (
        <li key={JSON.stringify(named)}>
          <div>
            <span className="strong">
              {proposalWords[purpose]}
              {orderId !== undefined && `: ${orderId}`}
            </span>
            <span className="quiet small"> {reasons.join(' · ')}</span>
          </div>
          {mayBook && (
            <ActButton
              text="Confirm…"
              title={`${proposalWords[purpose]}${orderId === undefined ? '' : ` for ${orderId}`}?`}
              confirm="Confirm it"
              run={() => api.post<OutgoingAnswer>(`/outgoing/${keyOf(outgoing)}/confirm`, named)}
              changes={[...changes, 'payments', 'overpayments', 'reversals']}
              done={({ state }) =>
                state === 'booked' ? 'Confirmed' : 'Proposed: another operator confirms the same, too'
              }
            >
              <p>
                {formatMoney(outgoing.amount, outgoing.currency)} left the account for this. What its payer was owed is
                booked as returned; the money leaves the ledger once.
              </p>
            </ActButton>
          )}
        </li>
      )
    })}
  </ul>
)
