import { fileChannel } from '../../rules/transfers/channel.ts'
import { maskSource } from '../../rules/values/masking.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import { bookingOf, isDay, recordedKind, type RowMoney } from '../../rules/statements/check-row.ts'
import { outgoingIdentity, rowIdentity, rowLikeness } from '../../rules/statements/row-identity.ts'
import type { StatementRow } from 'bank-files/pure'
import { dedupeKey } from '../../rules/transfers/transfer.ts'
import { hashText } from '../../secrets/hashes.ts'

/** Long enough that two rows of a requisite never collide by chance. */
const likenessLength = 22

/** The same for rows that are the same or equal bookings; each kind except booked has its own fingerprints. */
const fingerprintOf = (row: StatementRow, { amount, bookedAt }: RowMoney): string => {
  const kind = recordedKind(row)
  const isMoneyIn = kind === 'booked' || kind === 'reversal'
  const identity = isMoneyIn ? rowIdentity(row, amount) : outgoingIdentity(row, amount)
  const key =
    row.reference === null
      ? `row:${hashText(identity)}`
      : dedupeKey({ amount, bookedAt, sender: null, bankReference: row.reference }, 0)
  if (kind === 'booked') return key
  // Payers choose their payment numbers: the same number on another day is another payment.
  return isMoneyIn ? `reversal:${key}` : `${kind}:${row.booked.slice(0, 10)}:${key}`
}

/**
 * A row with its requisite, money and fingerprint, as it is stored; `chosen`: only the operator's choice for the file
 * determines it.
 */
export const fingerprintRow = (
  row: StatementRow,
  { id: requisiteId, currency }: Requisite,
  money: RowMoney,
  file: { readonly channel: string; readonly sourceId: string | null; readonly chosen: boolean },
) => ({
  ...{ ...money, row, line: row.line, kind: recordedKind(row), requisiteId, currency, chosen: file.chosen },
  bookedOn: isDay(row) ? row.booked : null,
  fingerprint: fingerprintOf(row, money),
  bankReference: row.reference,
  referenceKind: row.referenceKind,
  ...bookingOf(row, currency),
  channel: fileChannel(file.channel, isDay(row), file.sourceId),
  likeness: rowLikeness(row, money.amount, (text) => hashText(text).slice(0, likenessLength)),
  senderMasked: maskSource(row.counterparty.number ?? ''),
})

export type CheckedRow = ReturnType<typeof fingerprintRow>
