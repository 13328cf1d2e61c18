import { message } from './message.ts'

/** The texts of a payment link's page; amounts and spans are passed in ready to read. */
export const englishLinks = {
  amount: 'How much would you like to pay?',
  between: (min: string, max: string) => `From ${min} to ${max}.`,
  missing: 'Enter the amount.',
  wrong: (example: string) => `Enter the amount in digits, such as ${example}.`,
  /** `typed` may be `thousands` or a fraction, which has two digits: `fraction`. */
  unclear: (typed: string, thousands: string, fraction: string) =>
    `Does ${typed} mean thousands? Then enter ${thousands}. Otherwise, enter two digits after the separator: ${fraction}.`,
  /** The amount has more decimals than its currency, which may have none. */
  whole: 'Enter a whole amount, without decimals.',
  precision: (decimals: string) => `Enter at most ${decimals} digits after the decimal point.`,
  tooSmall: (min: string) => `This is too little: the smallest amount is ${min}.`,
  tooLarge: (max: string) => `This is too much: the largest amount is ${max}.`,
  /** Below the button. */
  next: 'Nothing is charged yet: you’ll make the transfer yourself, in your bank’s app.',
  again: 'Try again',
  /** The form did not arrive complete, or its method is no longer offered. */
  stale: 'Part of the form didn’t arrive, or is no longer offered. Please check it and send it again.',
  /** No account is free for this amount and method. */
  taken: 'We can’t take this amount at the moment. Try again in a few minutes, or pay in another way.',
  /** Nothing can be paid at the moment, whatever the payer enters. */
  unavailable: message(
    'Payments aren’t possible right now',
    'You haven’t been charged. Please try again in a few minutes.',
  ),
  /** Somebody else is paying. */
  busy: message(
    'Somebody is already paying',
    'This link is for a single payment, and one has been started.',
    'Was it you? Go back to the page that you were on: it’s still there, in your browser or its history.',
  ),
  /** The same where a link is for several payments and each has been started. */
  allTaken: message(
    'All payments of this link have been started',
    'This link takes a limited number of payments, and all of them have been started.',
  ),
  /** Follows both: when a place may be free again. */
  freeIn: (span: string) => `If a payment isn’t made, you can pay here in ${span}.`,
  /** The one payment of a link is paid; or all payments that it may have. */
  usedUp: message(
    'This has been paid',
    'The link is for a single payment, and the money has arrived. Please don’t pay again.',
  ),
  allUsed: message(
    'No more payments are taken here',
    'All payments of this link have been made. You haven’t been charged.',
  ),
  ended: message('The time for this payment is over', 'You haven’t been charged. To pay, ask for a new link.'),
  closed: message('This link has been closed', 'You haven’t been charged. To pay, ask for a new link.'),
  limited: (span: string) =>
    message(
      'Too many payments are waiting',
      'Several payments have been started from this link, or from your network, but not made. If one of them is yours, go back to its page, in your browser or its history, and pay or cancel it.',
      `If none is, try again in ${span}, or from another network, such as mobile data. You haven’t been charged.`,
    ),
  /** The payer has sent the form again, and a newer payment has taken the place of this one. */
  replaced: message(
    'A newer payment has replaced this one',
    'You sent the form again, and a new payment was started instead of this one. Please pay there, and not here.',
  ),
  toNewer: 'Go to the newer payment',
  startAgain: 'Start again',
}
