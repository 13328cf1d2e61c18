import type { Tone } from '../../../src/operations/schema.ts'
import { tonesOf } from '../../../src/operations/field.ts'
import { PaymentStatus as PaymentStatuses } from '../../../src/operations/fields.ts'
import type { PaymentStatus } from '../../../src/rules/payments/payment.ts'
import { say, sayWord } from '../language.ts'

/** What the colour of a badge says. */
export type { Tone }

/** A word with the colour of its meaning. */
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: string }) => (
  <span className={`badge ${tone}`}>{say(children)}</span>
)

const choicesOf = (schema: object) => (schema as { readonly enum?: readonly string[] }).enum

/** A word of a declared schema with the colour of its meaning. */
export const StatusBadge = ({ of, word }: { readonly of: object; readonly word: string }) => (
  <Badge tone={tonesOf(of)[word] ?? 'over'}>{sayWord(word, choicesOf(of))}</Badge>
)

/** The status of a payment. */
export const PaymentBadge = ({ status }: { readonly status: PaymentStatus }) => (
  <StatusBadge of={PaymentStatuses} word={status} />
)
