import { letters } from 'bank-files/pure'
import { accountDigits, senderKind } from '../values/account-number.ts'
import type { OperatorPurpose } from './outgoing.ts'

/** Purposes to which a rule books: what nothing else is paired with. */
export const rulePurposes = ['fee', 'other'] as const satisfies readonly OperatorPurpose[]
export type RulePurpose = (typeof rulePurposes)[number]

export type OutgoingCondition = {
  readonly currency: string
  /** The requisites of one account; null: all of the currency. */
  readonly requisiteIds: readonly string[] | null
  /** Words that follow each other in the text of the row. */
  readonly text: string | null
  /** The payee's number, or words that follow each other in the payee's name. */
  readonly payee: string | null
  readonly minAmount: bigint | null
  readonly maxAmount: bigint | null
}

export type DescribedOutgoing = {
  readonly requisiteId: string
  readonly currency: string
  readonly amount: bigint
  readonly text: string | null
  readonly name: string | null
  readonly number: string | null
}

const wordsOf = (text: string | null): string =>
  ` ${(text ?? '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join(' ')} `

const hasNumber = (payee: string, number: string | null): boolean =>
  number !== null && senderKind(number) !== undefined && accountDigits(number) === accountDigits(payee)

/** Whether a rule is for a row of outgoing money. */
export const fitsRule = (rule: OutgoingCondition, row: DescribedOutgoing): boolean =>
  rule.currency === row.currency &&
  rule.requisiteIds?.includes(row.requisiteId) !== false &&
  (rule.minAmount === null || row.amount >= rule.minAmount) &&
  (rule.maxAmount === null || row.amount <= rule.maxAmount) &&
  (rule.text === null || wordsOf(row.text).includes(wordsOf(rule.text))) &&
  (rule.payee === null || hasNumber(rule.payee, row.number) || wordsOf(row.name).includes(wordsOf(rule.payee)))

/** The only rule for a row; `undefined` if there is none, or more than one. */
export const onlyRuleFor = <Rule extends OutgoingCondition>(
  rules: readonly Rule[],
  row: DescribedOutgoing,
): Rule | undefined => {
  const [only, ...others] = rules.filter((rule) => fitsRule(rule, row))
  return others.length === 0 ? only : undefined
}

/** The condition that is met by rows like this one: of its requisite, with its text and its payee. */
export const conditionLike = ({ requisiteId, currency, text, name, number }: DescribedOutgoing): OutgoingCondition => ({
  ...{ currency, requisiteIds: [requisiteId], minAmount: null, maxAmount: null },
  text: letters(text) === '' ? null : text,
  payee: number !== null && senderKind(number) !== undefined ? number : letters(name) === '' ? null : name,
})

type Explained = DescribedOutgoing & { readonly id: string; readonly purpose: RulePurpose }

/**
 * Rules that would do what people did at least twice: of rows of one requisite with one text and one payee, all booked to
 * one purpose, the first; and for how many of the waiting rows each rule is. What has a rule already is left out.
 */
export const suggestRules = <Row extends Explained>(
  explained: readonly Row[],
  waiting: readonly DescribedOutgoing[],
  rules: readonly OutgoingCondition[],
): { readonly like: Row; readonly times: number; readonly waiting: number }[] =>
  [
    ...Map.groupBy(explained, ({ requisiteId, text, name, number }) =>
      JSON.stringify([requisiteId, wordsOf(text), wordsOf(name), accountDigits(number ?? '')]),
    ).values(),
  ].flatMap((rows) => {
    const [like] = rows
    if (like === undefined || rows.length < 2 || rows.some(({ purpose }) => purpose !== like.purpose)) return []
    const condition = conditionLike(like)
    if ((condition.text ?? condition.payee) === null || rules.some((rule) => fitsRule(rule, like))) return []
    return [{ like, times: rows.length, waiting: waiting.filter((row) => fitsRule(condition, row)).length }]
  })
