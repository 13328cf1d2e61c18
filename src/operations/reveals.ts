import { operation } from './operation.ts'
import { type Static, Type } from './schema.ts'

const RevealedNumber = Type.Titled('RevealedNumber', {
  number: Type.Text('The whole number. Do not store it.', '79991234567'),
})
export type RevealedNumber = Static<typeof RevealedNumber>

const RevealedText = Type.Titled('RevealedText', {
  text: Type.Text('The title and the text, as the bank has written them. Do not store it.'),
})

export const RevealReason = Type.Pattern('must be printable characters, not only spaces.', {
  minLength: 1,
  maxLength: 500,
  pattern: '^\\p{Zs}*[^\\p{C}\\p{Z}][^\\p{C}\\p{Zl}\\p{Zp}]*$',
  description: 'Why, for the audit; long numbers in it are masked there.',
  examples: ['The bank asks for the account of the refund'],
})

const body = { reason: RevealReason }

const limits = 'The audit has who saw which number and why, not the number. An operator may reveal 30 in 15 minutes.'

export const reveals = {
  requisite: operation('POST /requisites/{id}/reveal', 'reveal', {
    id: 'revealRequisite',
    summary: 'Reveal the number of a requisite',
    description: limits,
    body,
    answer: RevealedNumber,
    refusals: ['rate_limited'],
    command: { says: ({ number }) => number },
  }),
  transfer: operation('POST /transfers/{requisiteId}/{id}/reveal', 'reveal', {
    id: 'revealSender',
    summary: 'Reveal the number of the sender of a transfer',
    description: `As the bank reported it, which may be masked. Refused with \`invalid_state\` if it reported none. ${limits}`,
    body,
    answer: RevealedNumber,
    refusals: ['rate_limited'],
    command: { says: ({ number }) => number },
  }),
  payment: operation('POST /payments/{merchantId}/{id}/reveal', 'reveal', {
    id: 'revealPayer',
    summary: 'Reveal the number of the payer of a payment',
    description: `The phone that the payer gave or, without one, the sender of the money. Refused with \`invalid_state\` if neither is known. ${limits}`,
    body,
    answer: RevealedNumber,
    refusals: ['payment_not_found', 'rate_limited'],
    command: { says: ({ number }) => number },
  }),
  refund: operation('POST /refunds/{merchantId}/{id}/reveal', 'reveal', {
    id: 'revealAccountOfRefund',
    summary: 'Reveal where a refund goes',
    description: `To the account that paid or, if no bank has named it, that the merchant or the payer has named. Refused with \`invalid_state\` if that is not certain. ${limits}`,
    body,
    answer: RevealedNumber,
    refusals: ['rate_limited'],
    command: { says: ({ number }) => number },
  }),
  message: operation('POST /phone-messages/{messageId}/reveal', 'reveal', {
    id: 'revealPhoneMessage',
    summary: 'Reveal what a bank has written',
    description: `Refused with \`invalid_state\` once it was deleted (\`PAYIN_MESSAGE_DAYS\`). ${limits}`,
    body,
    answer: RevealedText,
    refusals: ['rate_limited'],
    command: { says: ({ text }) => text },
  }),
}
