import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { MessageAnswer, phones } from '../../../../src/operations/phones.ts'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { RequisiteField } from '../../parts/requisite-field.tsx'
import { useMay } from '../../session.ts'
import { RevealText } from './reveal-text.tsx'
import { Teach } from './teach.tsx'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'

const list = phones.operations.messages

const columns = columnsOf<MessageAnswer>(list, [
  { field: 'receivedAt', name: 'Received', width: 150 },
  { field: 'state', second: 'reason' },
  'kind',
  'amount',
  'balance',
  { field: 'bank', name: 'Bank', width: 110, grows: 1 },
  'missing',
])

const changes = ['messages', 'phones', 'transfers']

const Decide = ({ message: { id, reason } }: { readonly message: MessageAnswer }) => {
  const [requisiteId, setRequisiteId] = useState('')
  const isNamed = reason === 'no-requisite'
  // What does not say which money came is typed in, or taught.
  const isSaid = reason !== 'unknown-text' && reason !== 'incomplete'
  return (
    <>
      {isSaid && (
        <ActButton
          text="Accept…"
          title="Accept the message?"
          confirm="Accept the message"
          isReady={!isNamed || requisiteId !== ''}
          run={() => api.post(`/phone-messages/${id}/accept`, requisiteId === '' ? {} : { requisiteId })}
          changes={changes}
          done="The message is accepted"
        >
          <p>Its money is recorded, as far as its phone may, and its balance is right. Look at the bank’s app first.</p>
          {isNamed && <RequisiteField label="Whose money it is" value={requisiteId} onChange={setRequisiteId} />}
        </ActButton>
      )}
      <ActButton
        text="Dismiss…"
        title="Dismiss the message?"
        confirm="Dismiss the message"
        run={() => api.post(`/phone-messages/${id}/dismiss`, undefined)}
        changes={changes}
        done="The message is dismissed"
        isGrave
      >
        <p>It brings no money, and its balance does not count.</p>
      </ActButton>
    </>
  )
}

const Acts = ({ message }: { readonly message: MessageAnswer }) => {
  const { id, bank, kind, state, missing } = message
  const mayReveal = useMay('reveal')
  const mayDecide = useMay('reconcile') && (state === 'waiting' || missing !== undefined)
  const mayTeach = useMay('configure') && kind === 'unknown'
  if (!mayReveal && !mayDecide && !mayTeach) return null
  return (
    <div className="acts">
      {mayReveal && <RevealText messageId={id} />}
      {mayTeach && <Teach messageId={id} bank={bank} />}
      {mayDecide && <Decide message={message} />}
    </div>
  )
}

/** What banks have written, and what waits for a person. */
export const Messages = () => (
  <ListPage<MessageAnswer>
    title="Banks’ messages"
    list={list}
    columns={columns}
    keyOf={({ id }) => id}
    filters={[{ name: 'open', label: 'All messages', options: [{ value: 'true', label: 'Waiting' }], width: 132 }]}
    actions={
      <>
        <Button variant="default" component={Link} to="/phones">
          Phones
        </Button>
        <Button variant="default" component={Link} to="/phones/templates">
          Templates
        </Button>
      </>
    }
    details={{
      title: ({ bank }) => bank,
      content: (message) => (
        <>
          <Acts key={message.id} message={message} />
          <FieldFacts
            of={MessageAnswer}
            value={message}
            facts={[
              { field: 'state', name: 'State' },
              { field: 'reason', name: 'Why it waits' },
              { field: 'kind', name: 'What it says' },
              { field: 'amount', name: 'Amount' },
              { field: 'balance', name: 'Balance after it' },
              { field: 'missing', name: 'Missing before it' },
              { field: 'digits', name: 'Digits of the account' },
              { field: 'bookedAt', name: 'Booked' },
              { field: 'templateId', name: 'Read by the template' },
              { field: 'resolvedBy', name: 'Decided by' },
            ]}
          />
        </>
      ),
    }}
    empty={<EmptyState title="No messages yet">They come from phones as soon as a bank writes one.</EmptyState>}
  />
)
