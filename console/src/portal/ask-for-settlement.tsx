import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ownActs, ownBalance, ownDestinations } from '../api/portal.ts'
import { formatMoney } from '../money.ts'
import { ActButton } from '../parts/act-button.tsx'
import { CurrencyChoice } from '../parts/currency-choice.tsx'
import { typedInto } from '../parts/typed.ts'

const none = { currency: '', amount: '', destinationId: '', reference: '' }

/** Today and the time: a reference that nobody has to think of. */
const newReference = (): string => new Date().toISOString().slice(0, 19).replace('T', ' ')

/** Asks the operator to pay out the balance, or a part of it, to one of the merchant's destinations. */
export const AskForSettlement = () => {
  const [given, setGiven] = useState(none)
  const { data: balance } = useQuery(ownBalance)
  const { data: destinations = [] } = useQuery(ownDestinations)
  const balances = balance === undefined ? [] : [balance, ...(balance.others ?? [])]
  const currency = given.currency || (balance?.currency ?? '')
  const { available = 0, waiting = 0 } = balances.find((each) => each.currency === currency) ?? {}
  const most = Math.max(0, available - waiting)
  const ready = destinations.filter(({ status }) => status === 'ready')
  const destinationId = given.destinationId || (ready.length === 1 ? (ready[0]?.id ?? '') : '')
  const field = typedInto(given, setGiven)
  const amount = Number(given.amount)
  const isReady = destinationId !== '' && given.reference.trim() !== '' && (given.amount === '' ? most > 0 : amount > 0)
  return (
    <ActButton
      text="Ask for a settlement…"
      variant="filled"
      title="Ask for a settlement"
      confirm="Ask for it"
      onOpen={() => setGiven({ ...none, reference: newReference() })}
      run={() =>
        ownActs.requestSettlement({
          ...{ reference: given.reference.trim(), currency, destinationId },
          ...(given.amount !== '' && { amount }),
        })
      }
      changes={['settlements', 'balance']}
      isReady={isReady}
      done="The settlement waits for the operator"
    >
      <p className="quiet">
        It holds the amount until the operator has paid it, or says why not. You may cancel it until it is approved.
      </p>
      <CurrencyChoice
        label="Currency of the balance"
        currencies={balances.map((each) => each.currency)}
        value={currency}
        onChange={(chosen) => setGiven({ ...given, currency: chosen, amount: '' })}
      />
      <TextInput
        label={`Amount in ${currency.toUpperCase()}`}
        description={
          waiting > 0
            ? `${formatMoney(most, currency)} can be settled now, ${formatMoney(waiting, currency)} must wait; leave empty for all that can.`
            : `${formatMoney(most, currency)} available; leave empty for all of it.`
        }
        inputMode="decimal"
        placeholder={String(most)}
        error={given.amount !== '' && !(amount > 0)}
        data-autofocus
        {...field('amount')}
      />
      <Select
        label="Where the money goes"
        data={ready.map(({ id, label, address }) => ({ value: id, label: `${label}: ${address}` }))}
        value={destinationId === '' ? null : destinationId}
        onChange={(chosen) => setGiven({ ...given, destinationId: chosen ?? '' })}
        placeholder={ready.length === 0 ? 'None is ready: ask for a destination first' : ''}
        disabled={ready.length === 0}
        comboboxProps={{ zIndex: 400 }}
      />
      <TextInput
        label="Reference"
        description="Your own name for it: the same reference always means the same settlement."
        maxLength={128}
        {...field('reference')}
      />
    </ActButton>
  )
}
