import { Button, Group, Modal, SegmentedControl, TextInput } from '@mantine/core'
import { type SyntheticEvent, useState } from 'react'
import type { DecisionWord } from '../../../../src/domain/transfer.ts'
import type { TransferDetails } from '../../../../src/http/operator-api/inbox.ts'
import type { Share } from '../../api/transfers.ts'
import { formatMoney } from '../../money.ts'

const closeButton = { 'aria-label': 'Close' }

type ReasonProps = {
  readonly decision: 'ignore' | 'park'
  readonly count: number
  /** Whether it may be money that is already known. */
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
  const title = decision === 'park' ? `Park ${what}` : `Set ${what} aside`
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
          label="Why"
          value={note}
          maxLength={500}
          data-autofocus
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <Group mt="md" justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" disabled={note.trim() === ''}>
            {decision === 'park' ? 'Park' : 'Set aside'}
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

const amountText = /^(0|[1-9]\d{0,12})(\.\d{1,3})?$/

/** Minor units of a thousandth, in which all amounts are whole. */
const toWhole = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole) * 1000n + BigInt(fraction.padEnd(3, '0'))
}

const toText = (value: bigint): string =>
  `${value < 0n ? '-' : ''}${(value < 0n ? -value : value) / 1000n}.${String((value < 0n ? -value : value) % 1000n).padStart(3, '0')}`.replace(
    /0$/,
    '',
  )

/** Asks how much of a transfer each payment gets; what is left stays in the queue. */
export const SplitDialog = ({ transfer, onSplit, onClose }: SplitProps) => {
  const suggested = transfer.suggestions.find(({ split }) => split !== undefined)?.split ?? []
  const [amounts, setAmounts] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(suggested.map(({ paymentId, amount }) => [paymentId, String(amount)])),
  )
  const others = transfer.suggestions.filter(
    ({ paymentId }) => !suggested.some((share) => share.paymentId === paymentId),
  )
  const payments = [...suggested, ...others]
  const given = Object.entries(amounts).filter(([, text]) => text !== '')
  const isReadable = given.every(([, text]) => amountText.test(text))
  const left = isReadable
    ? given.reduce((rest, [, text]) => rest - toWhole(text), toWhole(String(transfer.amount)))
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
      title={`Split ${formatMoney(transfer.amount, transfer.currency)}`}
      closeButtonProps={closeButton}
    >
      <form onSubmit={onSubmit} className="split-form">
        {payments.map(({ paymentId, orderId }, index) => (
          <TextInput
            key={paymentId}
            label={orderId}
            value={amounts[paymentId] ?? ''}
            placeholder="0.00"
            inputMode="decimal"
            {...(index === 0 ? { 'data-autofocus': true } : {})}
            error={(amounts[paymentId] ?? '') !== '' && !amountText.test(amounts[paymentId] ?? '')}
            onChange={({ currentTarget }) => setAmounts({ ...amounts, [paymentId]: currentTarget.value })}
          />
        ))}
        <p className={left !== undefined && left < 0n ? 'refused' : 'quiet'}>
          {left === undefined
            ? 'Amounts are written as 1500.00.'
            : `${formatMoney(toText(left), transfer.currency)} ${left < 0n ? 'too much' : 'stay in the queue'}`}
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
