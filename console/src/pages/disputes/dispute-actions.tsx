import { MultiSelect, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OperatorDispute } from '../../../../src/operations/disputes.ts'
import type { ListedTransfer } from '../../../../src/operations/transfers.ts'
import { api } from '../../api/client.ts'
import { confirmationOf, decideDisputes, inboxIn, type Proposal, type WantedDecision } from '../../api/disputes.ts'
import { paymentTimeline } from '../../api/payments.ts'
import { amountPattern, formatMoney, readDecimal } from '../../money.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { useMay, useSession } from '../../session.ts'
import { DecisionEffect } from './decision-effect.tsx'
import { personName } from '../../parts/field-values.tsx'
import { typed } from '../../parts/typed.ts'

type Of = { readonly dispute: OperatorDispute }

const changes = ['disputes', 'payments', 'transfers', 'overview']

/** Decides about one dispute. Throws if it is refused. */
const decideOne = async (wanted: WantedDecision, note: string): Promise<string> => {
  const [result] = await decideDisputes([wanted], note)
  if (result?.state === 'refused') throw new Error(result.message ?? 'It was refused.')
  return result?.state === 'proposed' ? 'Proposed: another operator must confirm it' : 'Decided'
}

const NoteField = ({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) => (
  <Textarea
    label="Reason"
    description="The merchant sees it."
    maxLength={1000}
    autosize
    minRows={2}
    {...typed(value, onChange)}
  />
)

/** Transfers in the inbox to choose from, those on the payment's own account first. */
const optionsOf = (inbox: readonly ListedTransfer[], requisiteId: string | undefined) => {
  const toOption = ({ id, amount, currency, senderName, sender }: ListedTransfer) => ({
    value: id,
    label: `${formatMoney(amount, currency)} from ${senderName ?? sender ?? 'unknown'}`,
  })
  const groups = [
    ['On the account that the payer was shown', inbox.filter((each) => each.requisiteId === requisiteId)],
    ['On other accounts', inbox.filter((each) => each.requisiteId !== requisiteId)],
  ] as const
  return groups
    .filter(([, transfers]) => transfers.length > 0)
    .map(([group, transfers]) => ({ group, items: transfers.map(toOption) }))
}

const Accept = ({ dispute }: Of) => {
  const { merchantId, id, currency } = dispute
  const amountText = amountPattern(currency)
  const [note, setNote] = useState('')
  const [amount, setAmount] = useState('')
  const [chosen, setChosen] = useState<string[]>([])
  const [settled] = useDebouncedValue(amount, 350)
  const { data: inbox = [] } = useQuery(inboxIn(currency))
  const { data: payment } = useQuery(paymentTimeline(`${merchantId}/${dispute.paymentId}`))
  const transfers = inbox.filter((each) => chosen.includes(each.id))
  const wanted: WantedDecision = {
    merchantId,
    id,
    decision: 'accept',
    ...(amountText.test(settled) ? { amount: Number(settled) } : {}),
    ...(transfers.length === 0
      ? {}
      : { transfers: transfers.map(({ requisiteId, id: transfer }) => ({ requisiteId, id: transfer })) }),
  }
  return (
    <ActButton
      text="Accept…"
      variant="filled"
      title={`Accept the claim about ${dispute.orderId}?`}
      confirm="Accept the claim"
      size="lg"
      isReady={note.trim() !== '' && (amount === '' || amountText.test(amount)) && amount === settled}
      run={() => decideOne(wanted, note.trim())}
      changes={changes}
      done={(text: string) => text}
    >
      <MultiSelect
        label="Money in the inbox that is for it"
        placeholder={chosen.length > 0 ? '' : inbox.length === 0 ? 'The inbox is empty' : 'None'}
        data={optionsOf(inbox, payment?.requisiteId)}
        value={chosen}
        onChange={setChosen}
        searchable
        clearable
        size="xs"
      />
      <TextInput
        label={`Credited, in ${currency.toUpperCase()}`}
        description="Leave empty for all money that the payment then has, or the claimed amount, at most that of the payment."
        placeholder={String(dispute.amount)}
        value={amount}
        error={amount !== '' && !amountText.test(amount)}
        inputMode="decimal"
        onChange={(event) => setAmount(readDecimal(event.currentTarget.value.trim()))}
      />
      <NoteField value={note} onChange={setNote} />
      <DecisionEffect wanted={wanted} />
    </ActButton>
  )
}

const Reject = ({ dispute }: Of) => {
  const { merchantId, id, orderId } = dispute
  const [note, setNote] = useState('')
  const wanted = { merchantId, id, decision: 'reject' } as const
  return (
    <ActButton
      text="Reject…"
      title={`Reject the claim about ${orderId}?`}
      confirm="Reject the claim"
      size="lg"
      isReady={note.trim() !== ''}
      run={() => decideOne(wanted, note.trim())}
      changes={changes}
      done={`The claim about ${orderId} is rejected`}
      isGrave
    >
      <p>Nothing is credited for it. Money that waited with the payment goes to the inbox.</p>
      <NoteField value={note} onChange={setNote} />
      <DecisionEffect wanted={wanted} />
    </ActButton>
  )
}

const Confirm = ({ dispute, proposal }: Of & { readonly proposal: Proposal }) => {
  const { merchantId, id, orderId, currency, state } = dispute
  const { amount } = proposal
  const wanted = { merchantId, id, decision: 'confirm', ...confirmationOf(proposal) } as const
  return (
    <ActButton
      text="Confirm…"
      variant="filled"
      title={`Confirm ${formatMoney(amount, currency)} for ${orderId}?`}
      confirm="Confirm the amount"
      size="lg"
      run={() => decideOne(wanted, 'Confirmed')}
      changes={changes}
      done={`The amount for ${orderId} is confirmed`}
    >
      <p>
        {personName(dispute.correction?.by)} proposes it. You are the second person:{' '}
        {state === 'proposed'
          ? 'the credit is taken back until the correction is decided.'
          : 'it is credited immediately.'}
      </p>
      <DecisionEffect wanted={wanted} />
    </ActButton>
  )
}

const Ask = ({ dispute }: Of) => {
  const [text, setText] = useState('')
  return (
    <ActButton
      text="Ask for more…"
      title={`Ask about ${dispute.orderId}`}
      confirm="Ask the merchant"
      isReady={text.trim() !== ''}
      run={() => api.post(`/disputes/${dispute.merchantId}/${dispute.id}/ask`, { text: text.trim() })}
      changes={['disputes']}
      done="Asked: the merchant sees it in the dispute"
      onOpen={() => setText('')}
    >
      <Textarea
        label="What is missing"
        description="The merchant sees it in the history of the dispute, and answers with files."
        placeholder="Please send the receipt with the time of the transfer"
        maxLength={1000}
        autosize
        minRows={2}
        data-autofocus
        {...typed(text, setText)}
      />
    </ActButton>
  )
}

/** What a person may do about a dispute in its state. */
export const DisputeActions = ({ dispute }: Of) => {
  const [mayDecide, mayAsk] = [useMay('decide'), useMay('support')]
  const session = useSession()
  const own = session.state === 'signed-in' ? `operator:${session.person.name}` : ''
  if (dispute.decidedAt !== undefined || !mayAsk) return null
  const { correction } = dispute
  const waiting = correction !== undefined && correction.confirmedBy === undefined ? correction : undefined
  return (
    <>
      {waiting !== undefined && (
        <p className="second-person" role="status">
          <strong>{personName(waiting.by)}</strong> proposes to credit{' '}
          <strong>{formatMoney(waiting.amount, dispute.currency)}</strong>, which no money covers.{' '}
          {waiting.by === own ? 'Somebody else must confirm it.' : 'A second person must confirm it: you may.'}
        </p>
      )}
      <div className="acts">
        {mayDecide && waiting !== undefined && waiting.by !== own && <Confirm dispute={dispute} proposal={waiting} />}
        {mayDecide && dispute.state === 'open' && <Accept dispute={dispute} />}
        {mayDecide && <Reject dispute={dispute} />}
        <Ask dispute={dispute} />
      </div>
    </>
  )
}
