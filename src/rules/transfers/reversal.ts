import type { PartKind } from './transfer.ts'

type ReversiblePart = {
  readonly kind: PartKind
  readonly amount: bigint
  readonly reversedAmount: bigint
  readonly paymentId: string | null
}

/** Whose money is taken first: unclaimed money, then what a payer is owed, and money of payments last. */
const order: readonly PartKind[] = ['suspense', 'ignored', 'overpayment', 'payment']

const leftOf = ({ kind, amount, reversedAmount }: ReversiblePart): bigint =>
  order.includes(kind) ? amount - reversedAmount : 0n

/**
 * How much of each part of a transfer a bank takes with `amount`, which is at most what it has left of the transfer.
 * `isCertain` is false if several payments have money of the transfer and only some of it is taken: it is unclear which
 * payment loses it.
 */
export const spreadReversal = (
  parts: readonly ReversiblePart[],
  amount: bigint,
): { readonly taken: readonly bigint[]; readonly isCertain: boolean } => {
  const taken = parts.map(() => 0n)
  let rest = amount
  for (const kind of order) {
    parts.forEach((part, index) => {
      if (part.kind !== kind) return
      const left = leftOf(part)
      taken[index] = left < rest ? left : rest
      rest -= taken[index]
    })
  }
  if (rest > 0n) throw new Error('more is taken back than the bank has left of the transfer')
  const ofPayments = parts.map((part, index) => ({ ...part, left: leftOf(part), taken: taken[index] ?? 0n }))
  const losing = ofPayments.filter(({ kind, left }) => kind === 'payment' && left > 0n)
  const isWhole = losing.every((part) => part.taken === part.left) || losing.every((part) => part.taken === 0n)
  return { taken, isCertain: isWhole || new Set(losing.map(({ paymentId }) => paymentId)).size === 1 }
}

/** A transfer that a bank may take back. Amounts are minor units; `announced`: an operator has said so before the bank. */
type Reversible = {
  readonly amountLeft: bigint
  readonly announcedId: string | null
  readonly announcedAmount: bigint | null
  readonly duplicateOf: string | null
  readonly mayHaveDuplicate: boolean
}

/** Whether a reversal of this amount fits: the bank has that much left, or an operator has announced just that. */
export const canTakeBack = (
  { amountLeft, announcedAmount }: Pick<Reversible, 'amountLeft' | 'announcedAmount'>,
  amount: bigint,
): boolean => (announcedAmount === null ? amount <= amountLeft : amount === announcedAmount)

/** Unless an operator has said which transfer it is. */
const isDoubtful = ({ announcedId, duplicateOf, mayHaveDuplicate }: Reversible, isItsSender: boolean): boolean =>
  announcedId === null && (duplicateOf !== null || (mayHaveDuplicate && !isItsSender))

/**
 * Which of the two likeliest transfers of its amount a reversal means, the likelier one first; `undefined` if that is
 * unclear. Without `isSender` the bank does not name whose money it takes.
 */
export const chooseReversed = <Each extends Reversible>(
  [first, second]: readonly Each[],
  isSender: ((each: Each) => boolean) | undefined,
): Each | undefined => {
  if (!first || isDoubtful(first, isSender?.(first) ?? false)) return undefined
  if (!second) return first
  const isAlike = isSender === undefined || isSender(second) === isSender(first)
  return isAlike && (first.announcedId === null || second.announcedId !== null) ? undefined : first
}

/** Most words of a text that are checked; a bank names one or two references. */
const maxWords = 50

// Shorter words may be an amount, a year or an order.
const isReference = (word: string): boolean =>
  /\d/.test(word) && word.length >= (/^\d+$/.test(word) ? 7 : 5) && !/^\d+[.,:/]\d/.test(word)

/** Words of a text by which a bank may name the reference of a transfer, such as `OP-1001` in `return of OP-1001`. */
export const referencesIn = (text: string): string[] => {
  const words = text
    .split(/[\s,;()"«»]+/)
    .flatMap((word) => [word, ...word.split(/[№#:=]/)])
    .map((word) => word.replace(/^[^\p{L}\d]+/u, '').replace(/(?<![^\p{L}\d])[^\p{L}\d]+$/u, ''))
  return [...new Set(words)].filter(isReference).slice(0, maxWords)
}
