import type { Dictionary } from './dictionary.ts'

const confirm = 'Check the bank and the recipient’s name, enter the exact amount and confirm.'
const comeBack = 'Come back here and press “I have paid”.'

/** English. */
export const english: Dictionary = {
  language: 'English',
  title: (shop) => `Payment to ${shop}`,
  payee: 'Payment to',
  order: 'Order',
  backToShop: (shop) => `Back to ${shop}`,
  checkStatus: 'Check status',
  copy: 'Copy',
  copied: 'Copied',
  copyAmount: 'Copy the amount',
  copyNumber: 'Copy the number',
  timeLeft: 'Time left',
  testMode: 'Test mode, no real money',
  simulate: {
    heading: 'Simulate the transfer',
    events: {
      paid: 'Exact amount',
      partial: 'Half of it',
      underpaid: 'Too little',
      overpaid: 'Too much',
      late: 'Too late',
      expired: 'Time runs out',
    },
  },
  details: {
    heading: 'Who is paying?',
    amount: 'Amount to pay',
    phone: 'Your phone number',
    why: 'The one your bank account is linked to. By it we recognise your transfer among others. We keep it encrypted; the shop sees its last four digits only.',
    example: (phone) => `For example: ${phone}`,
    international: 'Start with + and the country code.',
    phoneWrong: 'This is not a complete phone number. Check the digits and the country code.',
    bank: 'Your bank',
    bankWhy: 'Optional. We will try to give you an account at the same bank.',
    anyBank: 'Another bank',
    submit: 'Continue to payment',
  },
  pay: {
    heading: 'Transfer the exact amount',
    amount: 'Amount of the transfer',
    exactly: 'Exactly this amount, in one transfer. Any other amount may not be recognised.',
    number: {
      sbp: 'Phone number (SBP)',
      'by-phone': 'Phone number',
      'card-to-card': 'Card number',
      'account-to-account': 'Account number',
    },
    bank: 'Bank',
    holder: 'Recipient',
    how: 'How to pay',
    steps: {
      sbp: ['In your bank’s app choose a transfer by phone number (SBP).', confirm, comeBack],
      'by-phone': ['In your bank’s app choose a transfer abroad by phone number.', confirm, comeBack],
      'card-to-card': ['In your bank’s app choose a transfer by card number.', confirm, comeBack],
      'account-to-account': ['In your bank’s app choose a transfer by account number.', confirm, comeBack],
    },
    claim: 'I have paid',
    claimNote: 'Press it only after your bank has sent the transfer.',
  },
  checking: {
    heading: 'Looking for your transfer',
    lines: [
      'This usually takes a few minutes. You may close the page: the shop will learn about the payment all the same.',
    ],
    notSent: 'I have not sent it yet',
  },
  part: {
    heading: 'Part of the amount has arrived',
    received: (received, amount) => `Received ${received} of ${amount}.`,
    missing: 'Still missing',
    exactly: 'Transfer exactly the missing amount, in one transfer, to the same details.',
  },
  partOver: (received, amount) => ({
    heading: 'Do not send any more money',
    lines: [
      `The time to pay is over. Received ${received} of ${amount}.`,
      'We are deciding what to credit; the result will appear here.',
    ],
  }),
  paid: (amount) => ({ heading: 'Paid', lines: [`We have received ${amount}. Nothing more to do here.`] }),
  credited: (final, amount) => ({
    heading: `Credited ${final}`,
    lines: [`This differs from the amount of the order, ${amount}. If you have questions, ask the shop.`],
  }),
  expired: {
    heading: 'Do not send money to these details',
    lines: [
      'The time to pay is over and the details are no longer valid. To pay, start a new payment in the shop.',
      'Have you already sent the money? Do not send it again: we keep looking for it, and this page will show when it is found. If it does not, contact the shop.',
    ],
  },
  expiredUnseen: {
    heading: 'The time to pay is over',
    lines: ['To pay, start a new payment in the shop.'],
  },
  review: {
    heading: 'The payment is under review',
    lines: [
      'A person is looking at it. There is nothing to do for you now, and do not pay again. The result will appear here.',
    ],
  },
  canceled: {
    heading: 'The payment is canceled',
    lines: ['Do not send money for it. If you have already sent it, contact the shop.'],
  },
  failed: {
    heading: 'The payment could not be made',
    lines: ['Do not send money for it. To pay, start a new payment in the shop.'],
  },
  unknownLink: {
    heading: 'There is no payment at this address',
    lines: [
      'The link may be incomplete. Open it again from the shop, and do not send money to anybody until you see the payment here.',
    ],
  },
  foreignForm: {
    heading: 'This did not come from the payment page',
    lines: ['Nothing was changed. Open the payment from the shop and try again there.'],
  },
  badRequest: {
    heading: 'We did not understand that',
    lines: ['Nothing was changed. Go back to the payment and try again.'],
  },
  trouble: {
    heading: 'Something is wrong on our side',
    lines: ['Your payment is not lost, and you need not pay again. Reload the page in a minute.'],
  },
}
