import type { PaymentStatus } from '../../../src/rules/payments/payment.ts'

/** What a colour means: done, waiting, somebody must act, in progress, over. */
export type Tone = 'good' | 'wait' | 'bad' | 'live' | 'over'

const tones: Readonly<Record<PaymentStatus, Tone>> = {
  new: 'live',
  processing: 'live',
  paid: 'good',
  'disput-paid': 'good',
  disput: 'bad',
  expired: 'over',
  canceled: 'over',
  failed: 'bad',
}

/** A word with the colour of its meaning. */
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: string }) => (
  <span className={`badge ${tone}`}>{children}</span>
)

/** The status of a payment. */
export const PaymentBadge = ({ status }: { readonly status: PaymentStatus }) => (
  <Badge tone={tones[status]}>{status}</Badge>
)
