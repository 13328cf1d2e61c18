import { Button, Checkbox, Select, Textarea, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { hour } from '../../../../src/rules/time.ts'
import type { RateSourceAnswer } from '../../../../src/operations/rate-sources.ts'
import type { OverrideAnswer } from '../../../../src/operations/rates.ts'
import { api, ApiProblem } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { typedInto } from '../../parts/typed.ts'
import { say } from '../../language.ts'
import { formatNumber } from '../../money.ts'

const changes = ['rates', 'overview']

const ends = [
  { value: '1', label: 'In an hour' },
  { value: '4', label: 'In 4 hours' },
  { value: '24', label: 'In a day' },
  { value: '168', label: 'In a week' },
]

/** Sets the rate of a currency until a time, whatever its sources say. */
export const Override = ({ currency, price: last }: { readonly currency: string; readonly price: number }) => {
  const empty = { price: String(last), hours: '4', reason: '', isOutside: false, mayBeOutside: false }
  const [given, setGiven] = useState(empty)
  const field = typedInto(given, setGiven)
  const { price, hours, reason, isOutside, mayBeOutside } = given
  const name = currency.toUpperCase()
  const run = async (): Promise<OverrideAnswer> => {
    const until = new Date(Date.now() + Number(hours) * hour).toISOString()
    try {
      return await api.put<OverrideAnswer>(`/rates/${currency}/override`, {
        ...{ price: Number(price), until, reason: reason.trim() },
        ...(isOutside ? { outsideBand: true } : {}),
      })
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'rate_outside_band') setGiven({ ...given, mayBeOutside: true })
      throw error
    }
  }
  return (
    <ActButton
      text="Override…"
      title={`Override the rate of ${name}`}
      confirm="Override it"
      onOpen={() => setGiven(empty)}
      run={run}
      changes={changes}
      isReady={/^\d{1,9}(\.\d{1,8})?$/.test(price) && Number(price) > 0 && reason.trim() !== ''}
      done={({ proposed }) =>
        proposed === true
          ? `Proposed: another operator sets ${price} for ${name}, too`
          : `The rate of ${name} is overridden`
      }
    >
      <p>New payments use this rate until it ends. Existing payments keep theirs.</p>
      <TextInput
        label={`Price of 1 USDT in ${name}`}
        inputMode="decimal"
        value={price}
        data-autofocus
        onChange={({ currentTarget }) => setGiven({ ...given, price: currentTarget.value.replace(',', '.') })}
      />
      <Select
        label="It ends"
        data={ends}
        value={hours}
        allowDeselect={false}
        onChange={(chosen) => setGiven({ ...given, hours: chosen ?? hours })}
      />
      <Textarea label="Reason" maxLength={500} autosize {...field('reason')} />
      {mayBeOutside && (
        <Checkbox
          size="xs"
          label="I have checked it: use it although it is far from the last rate"
          checked={isOutside}
          onChange={({ currentTarget }) => setGiven({ ...given, isOutside: currentTarget.checked })}
        />
      )}
    </ActButton>
  )
}

/** Ends an override before its time. */
export const EndOverride = ({ currency, hasSources }: { readonly currency: string; readonly hasSources: boolean }) => (
  <ActButton
    text="End the override…"
    title={`End the override of ${currency.toUpperCase()}?`}
    confirm="End it"
    run={() => api.delete<{ proposed?: boolean }>(`/rates/${currency}/override`)}
    changes={changes}
    done={({ proposed }) =>
      proposed === true ? 'Proposed: another operator ends the override, too' : 'The override has ended'
    }
  >
    <p>
      {hasSources
        ? 'The sources set the rate again, from now on.'
        : 'There is no source: the rate stays until somebody sets another.'}
    </p>
  </ActButton>
)

/** Accepts or refuses a price that waits because it differs much from the last rate. */
export const HeldPrice = ({ source }: { readonly source: RateSourceAnswer }) => {
  const queries = useQueryClient()
  const decide = useMutation({
    mutationFn: (word: 'accept' | 'refuse') =>
      api.post(`/rate-sources/${source.id}/${word}`, { price: source.heldPrice }),
    onError: (error) => notifications.show({ color: 'red', title: 'Not done', message: say(error.message) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['rates'] }),
  })
  return (
    <span className="held">
      <span className="late figures">{source.heldPrice && formatNumber(source.heldPrice)} waits</span>
      <Button variant="default" loading={decide.isPending} onClick={() => decide.mutate('accept')}>
        Accept
      </Button>
      <Button variant="subtle" disabled={decide.isPending} onClick={() => decide.mutate('refuse')}>
        Refuse
      </Button>
    </span>
  )
}
