import type { DirectionWords } from '../../domain/direction-words.ts'
import { directionOf, isSure } from '../../domain/direction-words.ts'
import type { LineFault } from '../../domain/statement.ts'

const cure = 'Map the column of the direction, or say that all amounts without a sign are credits (allCredits).'

/**
 * Finds amounts without a sign that are not certainly credits, in a table whose amounts have signs: next to a plus they may
 * be debits, and so may those of an operation that takes money out and never has a minus.
 */
export class UnsignedAmounts {
  readonly #own: DirectionWords | undefined
  /** The first line with a plus, and without a sign. */
  #plus: number | undefined
  #plain: number | undefined
  /** Operations that take money out: those that had a minus, and the first amounts without one. */
  readonly #minus = new Set<string>()
  readonly #unsigned = new Map<string, { readonly line: number; readonly word: string }>()

  constructor(own: DirectionWords | undefined) {
    this.#own = own
  }

  /** Takes the amount of a row, and what its columns of operations say. */
  take(amount: string, words: readonly string[], line: number): void {
    if (amount.startsWith('+')) this.#plus ??= line
    const isPlain = /^\d/.test(amount)
    if (isPlain) this.#plain ??= line
    for (const word of words) {
      if (directionOf(word, this.#own) !== 'debit') continue
      // Kinds of purchases are too many to keep; a sure word never means anything else.
      const kind = isSure(word, this.#own) ? '' : (word.toLowerCase().split(' ')[0] ?? '')
      if (amount.startsWith('-') && kind !== '') this.#minus.add(kind)
      if (isPlain && !this.#unsigned.has(kind)) this.#unsigned.set(kind, { line, word })
    }
  }

  /** What is not certain, once all rows were taken. */
  findFault(): LineFault | undefined {
    if (this.#plus !== undefined && this.#plain !== undefined)
      return {
        line: this.#plain,
        reason: `The amount has no sign, and that of line ${this.#plus} has a plus: it may be a debit. ${cure}`,
      }
    for (const [kind, { line, word }] of this.#unsigned) {
      const reason = `"${word.slice(0, 40)}" takes money out, and its amount has no minus, as others have. ${cure}`
      if (!this.#minus.has(kind)) return { line, reason }
    }
    return undefined
  }
}
