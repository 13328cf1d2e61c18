import { currencyDecimals } from '../domain/currency.ts'
import { wordsOfPayment, wordsOfTransfer } from '../domain/search.ts'
import type { Vault } from '../secrets/vault.ts'
import { payeeDetails } from '../transfers/outgoing/payee-details.ts'
import type { outgoing, payments, transfers } from './store.ts'

/** Something that is found by words. */
export type Entry = { readonly ownerId: string; readonly id: string; readonly words: readonly string[] }

/** A payment with the words by which it is found. */
export const paymentEntry = (row: ReturnType<typeof payments.listIndexed.decode>): Entry => ({
  ...row,
  words: wordsOfPayment({
    ...row,
    userId: row.userIdGiven ? row.userId : null,
    decimals: currencyDecimals(row.currency),
  }),
})

/** An incoming transfer with the words by which it is found. */
export const transferEntry = (vault: Vault, row: ReturnType<typeof transfers.listIndexed.decode>): Entry => {
  const open = (sealed: string | null, column: string): string | null =>
    sealed === null ? null : vault.decrypt(sealed, { table: 'transfers', column, row: row.id })
  return {
    ...row,
    words: wordsOfTransfer({
      ...row,
      decimals: currencyDecimals(row.currency),
      reference: row.bankReference,
      name: open(row.senderNameSealed, 'sender_name_sealed'),
      text: open(row.textSealed, 'text_sealed'),
    }),
  }
}

/** An outgoing transfer with the words by which it is found. */
export const outgoingEntry = (vault: Vault, row: ReturnType<typeof outgoing.listIndexed.decode>): Entry => ({
  ...row,
  words: wordsOfTransfer({
    ...row,
    ...payeeDetails(vault, row.id, row.detailsSealed),
    decimals: currencyDecimals(row.currency),
    reference: row.bankReference,
  }),
})
