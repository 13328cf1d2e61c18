import type { Context, Tx } from '../../context.ts'
import { currencyDecimals, parseDecimal } from '../../domain/currency.ts'
import type { Posting } from '../../domain/ledger.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { DecisionWord } from '../../domain/transfer.ts'
import { assignTransfer, type Share } from '../assign-transfer.ts'
import { ignoreTransfer } from '../ignore-transfer.ts'
import { lockTransfer, type LockedTransfer, type TransferKey } from '../lock-transfer.ts'
import { findTransfer } from '../read.ts'
import type { Decider } from '../write-parts.ts'
import { parkTransfer } from './park-transfer.ts'

/** What an operator decides about a transfer in the inbox; `shares` belong to `assign`. */
export type TransferDecision =
  | { readonly word: 'assign'; readonly shares: readonly Share[] }
  | { readonly word: Exclude<DecisionWord, 'assign'> }

/** What a decision did: its ledger entries, and how many parts of the transfer it made. */
export type DoneDecision = { readonly postings: readonly Posting[]; readonly made: number }

/** What a suggestion says of the payments that a transfer may be for. */
export type Suggested = {
  readonly merchantId: string
  readonly paymentId: string
  readonly split?: readonly { readonly merchantId: string; readonly paymentId: string; readonly amount: string }[]
}

/** The shares of a transfer as a suggestion divides it: all that waits, or a part for each of several payments. */
export const sharesOf = ({ merchantId, paymentId, split }: Suggested, currency: string): readonly Share[] => {
  if (!split) return [{ merchantId, paymentId, amount: null }]
  const decimals = currencyDecimals(currency)
  return split.map((share) => {
    const amount = parseDecimal(share.amount, decimals)
    if (typeof amount !== 'bigint') throw new Error(`a suggested share of payment ${paymentId} is ${share.amount}`)
    return { ...share, amount }
  })
}

const suggestedShares = async (tx: Tx, { requisiteId, id }: TransferKey): Promise<readonly Share[]> => {
  const transfer = await findTransfer(tx, requisiteId, id)
  if (!transfer) throw new Refusal('resource_not_found', 'There is no such transfer.')
  const [first] = transfer.suggestions ?? []
  if (!first) throw new Refusal('invalid_state', 'No payment is suggested for this transfer.')
  return sharesOf(first, transfer.currency)
}

const waitsAsDuplicate = ({ duplicateOf, parts }: LockedTransfer): boolean =>
  duplicateOf !== null && parts.every(({ kind }) => kind === 'suspense')

/** Refuses to ignore a possible duplicate without saying whose money it is, and to say so of what is not one. */
const refuseUnclear = (transfer: LockedTransfer, word: DecisionWord): void => {
  const isDoubtful = waitsAsDuplicate(transfer)
  if (word === 'ignore' && isDoubtful)
    throw new Refusal(
      'invalid_state',
      `It may be the same money as transfer ${transfer.duplicateOf}: decide same-money or other-money.`,
    )
  if (word !== 'ignore' && !isDoubtful)
    throw new Refusal('invalid_state', 'The transfer does not wait as a possible duplicate.')
}

/**
 * Decides about a transfer in the inbox. `accept` assigns it as its first suggestion says; `same-money` and `other-money`
 * are for possible duplicates only, and `ignore` for all others; `park` leaves it in the inbox with a mark. Refuses as `assignTransfer` and `ignoreTransfer` do.
 */
export const decideTransfer = async (
  tx: Tx,
  key: TransferKey,
  decision: TransferDecision,
  decider: Decider,
): Promise<DoneDecision> => {
  if (decision.word === 'assign' || decision.word === 'accept') {
    const shares = decision.word === 'assign' ? decision.shares : await suggestedShares(tx, key)
    return { postings: await assignTransfer(tx, key, shares, decider), made: shares.length }
  }
  if (decision.word === 'park' || decision.word === 'unpark') {
    await parkTransfer(tx, key, decider, decision.word === 'park')
    return { postings: [], made: 0 }
  }
  refuseUnclear(await lockTransfer(tx, key), decision.word)
  return { postings: await ignoreTransfer(tx, key, decider, decision.word === 'other-money'), made: 1 }
}

class Previewed extends Error {
  readonly result: DoneDecision

  constructor(result: DoneDecision) {
    super('previewed')
    this.result = result
  }
}

/** What a decision would do, by doing it and rolling all of it back. Refuses as `decideTransfer` does. */
export const previewDecision = async (
  context: Context,
  key: TransferKey,
  decision: TransferDecision,
  decider: Decider,
): Promise<DoneDecision> => {
  try {
    return await context.transaction(async (tx) => {
      throw new Previewed(await decideTransfer(tx, key, decision, decider))
    })
  } catch (error) {
    if (error instanceof Previewed) return error.result
    throw error
  }
}
