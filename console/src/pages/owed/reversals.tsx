import { Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { OpenReversal, type ResolvedReversal, reversals } from '../../../../src/operations/reversals.ts'
import { api } from '../../api/client.ts'
import { transferDetails } from '../../api/transfers.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { LedgerPreview } from '../../parts/ledger-preview.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useMay } from '../../session.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { personName } from '../../parts/field-values.tsx'
import { typed } from '../../parts/typed.ts'
import { say } from '../../language.ts'

const keyOf = ({ requisiteId, id }: OpenReversal): string => `${requisiteId}/${id}`
const changes = ['reversals', 'payments', 'transfers', 'overview']

const { list } = reversals.operations

const columns = columnsOf<OpenReversal>(list, [
  { field: 'requisiteId', isStrong: true },
  { field: 'amount', name: 'Taken back', rank: 0 },
  'bookedAt',
  {
    name: 'May be of',
    width: 96,
    cell: ({ candidates: { length } }) => (length === 1 ? '1 transfer' : `${length} transfers`),
  },
  { field: 'bankReference', name: 'Reference', second: 'sender' },
])

const Candidate = ({ reversal, id }: { readonly reversal: OpenReversal; readonly id: string }) => {
  const { data } = useQuery(transferDetails(`${reversal.requisiteId}/${id}`))
  const mayDecide = useMay('decide')
  const path = `/reversals/${keyOf(reversal)}`
  if (data === undefined) return null
  return (
    <li>
      <span className="plain-about">
        <MoneyText amount={data.amount} currency={data.currency} bold />
        <span className="quiet small">
          {[say(data.kind), data.senderName ?? data.sender, data.orderId, data.bankReference]
            .filter(Boolean)
            .join(' · ')}
          , <Moment at={data.bookedAt} />
        </span>
      </span>
      {mayDecide && (
        <ActButton
          text="It was this…"
          title="Take the money back from this transfer?"
          confirm="Take it back"
          size="lg"
          run={() => api.post(`${path}/assign`, { transferId: id })}
          changes={changes}
          done="The reversal is assigned"
          isGrave
        >
          <p>
            The money is taken from where it went. A credited payment stays paid; its merchant’s balance is reduced, and
            the merchant is notified.
          </p>
          <LedgerPreview path={`${path}/preview`} body={{ transferId: id }} />
        </ActButton>
      )}
    </li>
  )
}

const Ignore = ({ reversal }: { readonly reversal: OpenReversal }) => {
  const [reason, setReason] = useState('')
  return (
    <ActButton
      text="It took back nothing of ours…"
      title="Ignore this reversal?"
      confirm="Ignore it"
      isReady={reason.trim() !== ''}
      run={() => api.post<ResolvedReversal>(`/reversals/${keyOf(reversal)}/ignore`, { reason: reason.trim() })}
      changes={changes}
      done={(answer) =>
        answer.proposedBy === undefined ? 'The reversal is ignored' : 'Another operator must do the same'
      }
    >
      <p>The ledger does not change. Use this for money that was never recorded here.</p>
      <Textarea label="Reason" maxLength={500} autosize data-autofocus {...typed(reason, setReason)} />
    </ActButton>
  )
}

const Details = ({ reversal }: { readonly reversal: OpenReversal }) => {
  const mayDecide = useMay('decide')
  return (
    <>
      <div className="drawer-amount">
        <MoneyText amount={reversal.amount} currency={reversal.currency} bold />
        <span className="quiet">was taken back by the bank</span>
      </div>
      <FieldFacts
        of={OpenReversal}
        value={reversal}
        facts={[
          { field: 'requisiteId', name: 'Account' },
          { field: 'bookedAt', name: 'Booked' },
          { field: 'source', name: 'Reported by', second: 'recordedAt' },
          { field: 'bankReference', name: 'Reference' },
          'sender',
          {
            ...({ field: 'reason', name: 'To be ignored' } as const),
            second: ({ proposedBy }) =>
              proposedBy && `${personName(proposedBy)} proposes this; another operator must do the same.`,
          },
        ]}
      />
      <section>
        <h2>Which transfer did it take back?</h2>
        {reversal.candidates.length === 0 && (
          <p className="quiet">
            No recorded transfer has this amount or reference. It may still come with a statement.
          </p>
        )}
        <ul className="plain-rows">
          {reversal.candidates.map((id) => (
            <Candidate key={id} reversal={reversal} id={id} />
          ))}
        </ul>
      </section>
      {mayDecide && (
        <div className="acts">
          <Ignore reversal={reversal} />
        </div>
      )}
    </>
  )
}

/** Money that banks took back, if it is not clear from which transfer. */
export const Reversals = () => (
  <ListPage<OpenReversal>
    title="Reversals"
    list={list}
    columns={columns}
    keyOf={keyOf}
    empty={
      <EmptyState title="No reversal waits">
        Banks report money that they took back in statements or feeds. If the transfer is clear, the reversal is booked
        immediately; the others wait here for you to name one.
      </EmptyState>
    }
    details={{ title: () => 'Reversal', content: (reversal) => <Details reversal={reversal} /> }}
  />
)
