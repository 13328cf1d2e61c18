import { Button, Group, Modal, SegmentedControl, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import type { DecisionWord } from '../../../../src/rules/transfers/transfer.ts'
import type { TransferDetails } from '../../../../src/operations/inbox.ts'
import { search } from '../../api/search.ts'
import type { Share } from '../../api/transfers.ts'
import { amountPattern, formatMoney } from '../../money.ts'
import { waitingOf } from './waiting-of.ts'
import { typed } from '../../parts/typed.ts'

const closeButton = { 'aria-label': 'Close' }

type ReasonProps = {
  readonly decision: 'ignore' | 'park'
  readonly count: number
  /** Whether the transfer may be a duplicate. */
  readonly isDoubtful: boolean
  readonly onDecide: (decision: DecisionWord, note: string) => void
  readonly onClose: () => void
}

const usual = { ignore: 'Belongs to no payment', park: 'Look at it later' }

/** Asks why; Enter takes the usual reason. */
export const ReasonDialog = ({ decision, count, isDoubtful, onDecide, onClose }: ReasonProps) => {
  const [note, setNote] = useState(usual[decision])
  const [word, setWord] = useState<DecisionWord>(decision === 'ignore' && isDoubtful ? 'same-money' : decision)
  const what = count === 1 ? 'this transfer' : `${count} transfers`
  const title = decision === 'park' ? `Park ${what}` : `Ignore ${what}`
  const onSubmit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (note.trim() !== '') onDecide(word, note.trim())
  }
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={closeButton}>
      <form onSubmit={onSubmit}>
        {decision === 'ignore' && isDoubtful && (
          <SegmentedControl
            fullWidth
            mb="sm"
            value={word}
            onChange={setWord}
            data={[
              { value: 'same-money', label: 'Money that is known already' },
              { value: 'other-money', label: 'Other money' },
            ]}
          />
        )}
        <TextInput
          label="Reason"
          maxLength={500}
          data-autofocus
          onFocus={(event) => event.currentTarget.select()}
          {...typed(note, setNote)}
        />
        <Group mt="md" justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" disabled={note.trim() === ''}>
            {decision === 'park' ? 'Park' : 'Ignore'}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}

type SplitProps = {
  readonly transfer: TransferDetails
  readonly onSplit: (shares: readonly Share[]) => void
  readonly onClose: () => void
}

type Payment = {
  readonly merchantId: string
  readonly paymentId: string
  readonly orderId: string
  /** What is known of it: its merchant and what it needs, or its state. */
  readonly about?: string
}

/** Finds a payment that is not suggested, with the search. */
const FindPayment = ({ onFound }: { readonly onFound: (payment: Payment) => void }) => {
  const [text, setText] = useState('')
  const [wanted] = useDebouncedValue(text.trim(), 200)
  const { data } = useQuery(search(wanted))
  const found = wanted === '' ? [] : (data?.results ?? []).filter(({ kind }) => kind === 'payment').slice(0, 5)
  return (
    <div className="split-found">
      <TextInput
        label="Another payment"
        placeholder="Order, amount, last digits…"
        {...typed(text, setText)}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      {found.map(({ id, merchantId, label, amount, currency, state }) => (
        <Button
          key={id}
          variant="default"
          onClick={() => {
            const about = `${currency === undefined || amount === undefined ? '' : formatMoney(amount, currency)} · ${state}`
            if (merchantId !== undefined) onFound({ merchantId, paymentId: id, orderId: label ?? id, about })
            setText('')
          }}
        >
          {label ?? id} · {currency === undefined || amount === undefined ? '' : formatMoney(amount, currency)} ·{' '}
          {state}
        </Button>
      ))}
      {wanted !== '' && data !== undefined && found.length === 0 && <p className="quiet small">No payment is found.</p>}
    </div>
  )
}

/** An amount in thousandths, in which all amounts are whole. */
const toWhole = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole) * 1000n + BigInt(fraction.padEnd(3, '0'))
}

const toText = (value: bigint): string => {
  const thousandths = String(value < 0n ? -value : value).padStart(4, '0')
  const text = `${thousandths.slice(0, -3)}.${thousandths.slice(-3)}`.replace(/\.?0+$/, '')
  return `${value < 0n ? '-' : ''}${text}`
}

type ShareProps = {
  readonly payment: Payment
  readonly value: string
  readonly pattern: RegExp
  /** What all shares leave of the transfer; `undefined` if one is not an amount. */
  readonly left: bigint | undefined
  readonly isFirst: boolean
  readonly onChange: (value: string) => void
}

/** The share of a payment: an amount, or what the others leave. */
const ShareField = ({ payment: { orderId, about }, value, pattern, left, isFirst, onChange }: ShareProps) => {
  const rest = left === undefined ? 0n : left + (value === '' ? 0n : toWhole(value))
  return (
    <div className="split-share">
      <TextInput
        label={orderId}
        description={about}
        placeholder="0.00"
        inputMode="decimal"
        {...(isFirst ? { 'data-autofocus': true } : {})}
        error={value !== '' && !pattern.test(value)}
        {...typed(value, onChange)}
      />
      <Button
        variant="default"
        aria-label={`The rest to ${orderId}`}
        disabled={rest <= 0n}
        onClick={() => onChange(toText(rest))}
      >
        The rest
      </Button>
    </div>
  )
}

/** Asks how much of a transfer each payment gets; what is left stays in the queue. */
export const SplitDialog = ({ transfer, onSplit, onClose }: SplitProps) => {
  const suggested = transfer.suggestions.find(({ split }) => split !== undefined)?.split ?? []
  const [amounts, setAmounts] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(suggested.map(({ paymentId, amount }) => [paymentId, String(amount)])),
  )
  const { currency } = transfer
  const others = transfer.suggestions
    .filter(({ paymentId }) => !suggested.some((share) => share.paymentId === paymentId))
    .map((each) => ({ ...each, about: `${each.merchantName} · ${formatMoney(each.amount, currency)}` }))
  const [added, setAdded] = useState<readonly Payment[]>([])
  const known: readonly Payment[] = [...suggested, ...others]
  const isKnown = ({ paymentId }: Payment): boolean => known.some((each) => each.paymentId === paymentId)
  const payments = [...known, ...added.filter((each) => !isKnown(each))]
  const amountText = amountPattern(currency)
  const given = Object.entries(amounts).filter(([, text]) => text !== '')
  const isReadable = given.every(([, text]) => amountText.test(text))
  const left = isReadable
    ? given.reduce((rest, [, text]) => rest - toWhole(text), toWhole(String(waitingOf(transfer))))
    : undefined
  const canSplit = given.length > 0 && left !== undefined && left >= 0n
  const onSubmit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (!canSplit) return
    onSplit(
      payments.flatMap(({ merchantId, paymentId }) => {
        const text = amounts[paymentId] ?? ''
        return text === '' ? [] : [{ merchantId, paymentId, amount: Number(text) }]
      }),
    )
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Split ${formatMoney(waitingOf(transfer), currency)}`}
      closeButtonProps={closeButton}
    >
      <form onSubmit={onSubmit} className="split-form">
        {payments.map((payment, index) => (
          <ShareField
            key={payment.paymentId}
            payment={payment}
            value={amounts[payment.paymentId] ?? ''}
            pattern={amountText}
            left={left}
            isFirst={index === 0}
            onChange={(value) => setAmounts({ ...amounts, [payment.paymentId]: value })}
          />
        ))}
        <FindPayment
          onFound={(found) =>
            setAdded((before) => [...before.filter((each) => each.paymentId !== found.paymentId), found])
          }
        />
        <p className={left !== undefined && left < 0n ? 'refused' : 'quiet'}>
          {left === undefined
            ? 'Amounts are written as 1500.00.'
            : `${formatMoney(toText(left), currency)} ${left < 0n ? 'too much' : 'stays in the queue'}`}
        </p>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" disabled={!canSplit}>
            Split
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
