import type { Criterion, Evidence, Verdict } from './evidence.ts'

/** What a transfer is compared by, as operators read it, in the order in which they look. */
export const criterionWords: Readonly<Record<Criterion, string>> = {
  amount: 'Amount',
  number: 'Number',
  name: 'Name',
  order: 'Order',
  bank: 'Bank',
  time: 'Time',
}

/** The sign of each verdict; it says the same as the word, without colour. */
export const verdictSigns: Readonly<Record<Verdict, string>> = {
  proves: '✓✓',
  supports: '✓',
  unknown: '–',
  contradicts: '✗',
}

/** What each criterion says, in the order in which operators look. */
export const listJudgements = (evidence: Evidence) =>
  (Object.keys(criterionWords) as Criterion[]).map((criterion) => ({ criterion, ...evidence[criterion] }))

/** What contradicts that a transfer is for a payment, as sentences for an operator. */
export const listContradictions = (evidence: Evidence): readonly string[] =>
  listJudgements(evidence).flatMap(({ verdict, why }) => (verdict === 'contradicts' ? [why] : []))

/** Whether the amount is exact and nothing contradicts. */
export const isCertainAmount = (evidence: Evidence): boolean =>
  evidence.amount.verdict === 'proves' && listContradictions(evidence).length === 0

/** The evidence in one line: `amount proves, time supports, order contradicts (the text names order-7)`. */
export const describeEvidence = (evidence: Evidence): string =>
  listJudgements(evidence)
    .filter(({ verdict }) => verdict !== 'unknown')
    .map(({ criterion, verdict, why }) => `${criterion} ${verdict}${verdict === 'contradicts' ? ` (${why})` : ''}`)
    .join(', ')
