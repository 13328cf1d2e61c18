import { type Static, Type } from 'typebox'
import type { Posting } from '../../domain/ledger.ts'
import { Titled, wireMoney } from '../fields.ts'
import { accountNames } from './operator-fields.ts'

/** Schema of the ledger entries that a decision would write. */
export const LedgerEffect = Type.Array(
  Type.Object({
    kind: Type.String({ examples: ['receive'] }),
    debit: Type.String({ examples: ['suspense'] }),
    credit: Type.String({ examples: ['fx:rub'] }),
    currency: Type.String(),
    amount: Type.Number(),
    ...accountNames,
  }),
)

/** Schema of what a decision would write. */
export const LedgerPreview = Titled('LedgerPreview', {
  entries: { ...LedgerEffect, description: 'The ledger entries that the decision would write, in order.' },
})
/** What a decision would write. */
export type LedgerPreview = Static<typeof LedgerPreview>

/** Postings in the words of the wire. */
export const toLedgerEffect = (postings: readonly Posting[]): Static<typeof LedgerEffect> =>
  postings.map(({ kind, debit, credit, currency, amount }) => ({
    ...{ kind, debit, credit, currency },
    amount: wireMoney(amount, currency),
  }))
