import type { Tx } from '../../context.ts'
import { account, type Posting, serviceBook } from '../../domain/ledger.ts'
import { Refusal, refuseField } from '../../domain/refusal.ts'
import { day as dayMs, formatInstant } from '../../domain/time.ts'
import { endOfDay } from '../closing-balances/record-closing-balance.ts'
import { findBankDay } from '../closing-balances/store.ts'
import { postEntries } from '../post-entries.ts'
import { findMovementBefore, findOpeningBalance, insertOpeningBalance } from './store.ts'

/** What an account held when the first day began whose transfers are recorded; `balance` in minor units. */
export type NewOpeningBalance = {
  readonly requisiteId: string
  /** `2026-01-31`, in the bank's time zone. */
  readonly day: string
  readonly currency: string
  readonly balance: bigint
  readonly reason: string
  readonly setBy: string
}

const postOpening = ({ requisiteId, currency, balance }: NewOpeningBalance): Posting => {
  const [debit, credit] =
    balance > 0n ? [account.bank(requisiteId), account.opening] : [account.opening, account.bank(requisiteId)]
  return {
    ...{ merchantId: serviceBook, kind: 'open', debit, credit, currency, amount: balance < 0n ? -balance : balance },
    ...{ paymentId: null, transferId: null, documentId: requisiteId },
  }
}

/**
 * Sets once what an account held before its first day here, so that the ledger holds what the bank does. The same again
 * changes nothing. Refuses `resource_not_found`, `validation_failed` and, when another balance was set, `already_exists`.
 */
export const setOpeningBalance = async (tx: Tx, wanted: NewOpeningBalance): Promise<void> => {
  const { requisiteId, currency, balance, day } = wanted
  const [bank] = await tx.query(findBankDay, { requisiteId })
  if (!bank) throw new Refusal('resource_not_found', 'There is no such requisite.')
  if (bank.currency !== currency) {
    throw refuseField('validation_failed', 'currency', `must be ${bank.currency}, the requisite's.`)
  }
  const endsAt = endOfDay(day, bank.utcOffsetMinutes, tx.now)
  if (endsAt === undefined) throw refuseField('validation_failed', 'day', 'is not a day that has begun.')
  const [earlier] = await tx.query(findMovementBefore, { requisiteId, before: endsAt - dayMs })
  if (earlier) {
    throw refuseField(
      'validation_failed',
      'day',
      `is after money of ${formatInstant(earlier.bookedAt)}, which is here.`,
    )
  }
  if ((await tx.query(insertOpeningBalance, { ...wanted, beginsAt: endsAt - dayMs, setAt: tx.now })).length > 0) {
    if (balance !== 0n) await postEntries(tx, [[postOpening(wanted)]])
    return
  }
  const [known] = await tx.query(findOpeningBalance, { requisiteId })
  if (known?.balance === balance && known.day === day) return
  throw new Refusal(
    'already_exists',
    `The opening balance of this requisite was set for ${known?.day} already. An adjustment corrects it.`,
  )
}
