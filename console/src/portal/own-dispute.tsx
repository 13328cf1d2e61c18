import { FileButton, Button, NumberInput, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DisputeState } from '../../../src/operations/disputes.ts'
import type { OwnTimeline } from '../../../src/http/merchant-api/payment-timeline.ts'
import { type OwnDispute, ownActs, ownDispute } from '../api/portal.ts'
import { useLiveQuery } from '../live.ts'
import { ActButton } from '../parts/act-button.tsx'
import { Happenings } from '../parts/happenings.tsx'
import { MoneyText } from '../parts/money-text.tsx'
import { Moment } from '../parts/moment.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { typed } from '../parts/typed.ts'

const changes = ['payments', 'disputes']

/** Asks how much the payer sent, and opens a dispute about a payment that was closed unpaid. */
export const OpenDispute = ({ payment }: { readonly payment: OwnTimeline }) => {
  const [amount, setAmount] = useState<number | string>(payment.amount)
  const [note, setNote] = useState('')
  const claim = { amount: Number(amount), ...(note.trim() === '' ? {} : { note: note.trim() }) }
  return (
    <ActButton
      text="The payer has paid…"
      title={`Dispute about ${payment.orderId}`}
      confirm="Open the dispute"
      run={() => ownActs.openDispute(payment.orderId, claim)}
      changes={changes}
      isReady={claim.amount > 0}
      done="The dispute is open. Add the payer's receipt to it."
    >
      <p className="quiet">
        The operator looks for the money and decides. A receipt helps: you can add one once the dispute is open.
      </p>
      <NumberInput
        label={`Amount that the payer sent, in ${payment.currency.toUpperCase()}`}
        value={amount}
        onChange={setAmount}
        min={0}
        decimalScale={4}
        hideControls
        required
        withAsterisk={false}
      />
      <Textarea label="Note for the operator" maxLength={1000} autosize minRows={2} {...typed(note, setNote)} />
    </ActButton>
  )
}

const kinds: Readonly<Record<string, string>> = {
  opened: 'Opened',
  'evidence-added': 'A file was added',
  asked: 'The operator asks for more',
  accepted: 'Accepted',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
}

const AddFile = ({ orderId }: { readonly orderId: string }) => {
  const queries = useQueryClient()
  const add = useMutation({
    mutationFn: (file: File) => ownActs.addFile(orderId, file),
    onSuccess: () => Promise.all(changes.map((name) => queries.invalidateQueries({ queryKey: [name] }))),
  })
  return (
    <>
      <FileButton
        accept="image/png,image/jpeg,image/webp,image/heic,application/pdf"
        onChange={(file) => {
          if (file !== null) add.mutate(file)
        }}
      >
        {(props) => (
          <Button {...props} variant="default" loading={add.isPending}>
            Add a receipt…
          </Button>
        )}
      </FileButton>
      {add.error !== null && <ProblemMessage error={add.error} />}
    </>
  )
}

const History = ({ dispute }: { readonly dispute: OwnDispute }) => (
  <Happenings
    of={dispute.history.map(({ sequence, kind, by, note, at }) => ({
      ...{ key: sequence, at },
      what: (
        <>
          {kinds[kind] ?? kind} <span className="quiet small">by the {by}</span>
        </>
      ),
      details: note !== undefined && kind !== 'evidence-added' && <p className="quiet">{note}</p>,
    }))}
  />
)

type Props = { readonly orderId: string; readonly mayChange: boolean }

/** The last dispute about a payment: its state and history, and what the merchant can do. */
export const OwnDisputeDetails = ({ orderId, mayChange }: Props) => {
  const { data } = useLiveQuery(ownDispute(orderId))
  if (data === undefined) return null
  const isOwn = data.claimant === 'merchant' && data.state === 'open'
  return (
    <section className="own-dispute panel">
      <h2>
        Dispute about <MoneyText amount={data.amount} currency={data.currency} />{' '}
        <StatusBadge of={DisputeState} word={data.state} />
      </h2>
      {data.state === 'open' && (
        <p className="quiet small">
          The operator decides by <Moment at={data.dueAt} />. Files: {data.evidence.length}.
        </p>
      )}
      {data.decisionNote !== undefined && <p>{data.decisionNote}</p>}
      <History dispute={data} />
      {mayChange && data.state === 'open' && (
        <div className="portal-actions">
          <AddFile orderId={orderId} />
          {isOwn && (
            <ActButton
              text="Withdraw…"
              title="Withdraw the dispute?"
              confirm="Withdraw the dispute"
              run={() => ownActs.withdrawDispute(orderId)}
              changes={changes}
              done="The dispute is withdrawn"
            >
              <p>The payment returns to its previous status.</p>
            </ActButton>
          )}
        </div>
      )}
    </section>
  )
}
