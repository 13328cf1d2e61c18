import type { Context } from '../../context.ts'
import type { Posting } from '../../domain/ledger.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { TransferKey } from '../lock-transfer.ts'
import type { Decider } from '../write-parts.ts'
import { previewDecision, sharesOf, type Suggested } from './decide-transfer.ts'

/** What assigning a transfer as one suggestion says would write, or why it would be refused. */
export type SuggestionEffect = { readonly postings: readonly Posting[] } | { readonly refused: string }

/** What assigning a transfer as each of its suggestions says would do, in their order; nothing is changed. */
export const previewSuggestions = async (
  context: Context,
  key: TransferKey,
  { currency, suggestions }: { readonly currency: string; readonly suggestions: readonly Suggested[] | null },
  decider: Decider,
): Promise<SuggestionEffect[]> => {
  const effects: SuggestionEffect[] = []
  for (const suggestion of suggestions ?? []) {
    try {
      const decision = { word: 'assign', shares: sharesOf(suggestion, currency) } as const
      effects.push(await previewDecision(context, key, decision, decider))
    } catch (error) {
      // A split may be of more than what still waits, which no answer about the transfer should fail by.
      if (!(error instanceof Refusal)) throw error
      effects.push({ refused: error.message })
    }
  }
  return effects
}
