import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { PhoneAnswer, phones } from '../../../../src/operations/phones.ts'
import { requisiteName } from '../../api/requisites.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { useMay } from '../../session.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { AddPhone, PhoneActs } from './phone-actions.tsx'

const { list } = phones.operations

const columns = columnsOf<PhoneAnswer>(list, [
  { field: 'name', name: 'Phone', width: 150, isStrong: true },
  'state',
  'lastSeenAt',
  'waiting',
  {
    ...{ name: 'Requisites', width: 140, grows: 2 },
    cell: ({ requisites = [] }) => requisites.map(requisiteName).join(', '),
  },
  { field: 'dailyLimit', name: 'USDT a day', width: 110 },
])

const Details = ({ phone }: { readonly phone: PhoneAnswer }) => (
  <>
    <PhoneActs phone={phone} />
    <FieldFacts
      of={PhoneAnswer}
      value={phone}
      facts={[
        { field: 'app', name: 'App' },
        { field: 'lastSeenAt', name: 'Last seen' },
        { field: 'battery', name: 'Battery, %' },
        { field: 'dailyLimit', name: 'USDT a day without a person' },
        { field: 'balances', name: 'Balances' },
        { field: 'silentMinutes', name: 'Silent at most, minutes' },
        { field: 'droppedCodes', name: 'Codes dropped' },
        { field: 'droppedOthers', name: 'Messages of others dropped' },
        { field: 'createdAt', name: 'Added' },
      ]}
    />
    <section>
      <h2>Requisites</h2>
      <ul className="plain-rows">
        {(phone.requisites ?? []).map((each, at) => (
          <li key={phone.requisiteIds[at]}>
            {requisiteName(each)}
            <span className="quiet"> {phone.accounts[at]?.digits.map((digits) => `•••• ${digits}`).join(', ')}</span>
            {phone.accounts[at]?.sim !== undefined && <span className="quiet"> SIM card {phone.accounts[at].sim}</span>}
            {phone.accounts[at]?.dailyLimit !== undefined && (
              <span className="quiet"> {phone.accounts[at].dailyLimit} USDT a day</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  </>
)

/** Phones that forward messages of banks, and when each was last seen. */
export const Phones = () => {
  const mayAdd = useMay('configure')
  return (
    <ListPage<PhoneAnswer>
      title="Phones"
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      actions={
        <>
          <Button variant="default" component={Link} to="/phones/messages">
            Messages
          </Button>
          {mayAdd && <AddPhone />}
        </>
      }
      details={{ title: ({ name }) => name, content: (phone) => <Details phone={phone} /> }}
      empty={
        <EmptyState title="No phones yet" action={mayAdd && <AddPhone />}>
          A phone with the bank's messages pays a payment seconds after the money came. The statement proves it later.
        </EmptyState>
      }
    />
  )
}
