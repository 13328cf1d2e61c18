import type { Dictionary } from './dictionary.ts'

const confirm = 'Check the bank and the recipient’s name, enter the exact amount and confirm.'
const comeBack = 'Come back here and press “I have paid”.'

/** English. */
export const english: Dictionary = {
  language: 'English',
  title: (shop) => `Payment to ${shop}`,
  error: 'Error',
  states: {
    details: 'Your details',
    pay: 'To pay',
    checking: 'Checking',
    part: 'Part received',
    'part-over': 'Time is over',
    paid: 'Paid',
    credited: 'Credited',
    expired: 'Time is over',
    claimed: 'Looking for it',
    rejected: 'Not found',
    review: 'Under review',
    canceled: 'Canceled',
    failed: 'Not made',
  },
  payee: 'Payment to',
  order: 'Order',
  backToShop: (shop) => `Back to ${shop}`,
  backToPayment: 'Back to the payment',
  checkStatus: 'Check status',
  live: 'This page updates automatically.',
  offline: 'No connection. Your payment is safe; we keep trying.',
  copy: 'Copy',
  copied: 'Copied',
  copyAmount: 'Copy the amount',
  copyNumber: 'Copy the number',
  copyBank: 'Copy the bank',
  copyHolder: 'Copy the recipient',
  copyBic: 'Copy the BIC',
  timeLeft: 'Time left',
  until: (time) => `Pay until ${time}`,
  left: (span) => `${span} left to pay`,
  testMode: 'Test mode: no real money',
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
  methods: {
    sbp: {
      name: 'By phone number (SBP)',
      number: 'Phone number (SBP)',
      steps: ['In your bank’s app choose a transfer by phone number (SBP).', confirm, comeBack],
    },
    'by-phone': {
      name: 'Abroad by phone number',
      number: 'Phone number',
      steps: ['In your bank’s app choose a transfer abroad by phone number.', confirm, comeBack],
    },
    'card-to-card': {
      name: 'By card number',
      number: 'Card number',
      steps: ['In your bank’s app choose a transfer by card number.', confirm, comeBack],
    },
    'account-to-account': {
      name: 'By account number',
      number: 'Account number',
      steps: ['In your bank’s app choose a transfer by account number.', confirm, comeBack],
    },
  },
  details: {
    heading: 'Who is paying?',
    amount: 'Amount to pay',
    method: 'How would you like to pay?',
    country: 'Country of your phone number',
    chooseCountry: 'Choose a country',
    otherCountry: 'Not in this list',
    phone: 'Your phone number',
    why: 'By the number that your bank knows we tell your transfer from others. It is stored encrypted; the shop sees the last four digits only.',
    example: (phone) => `For example: ${phone}`,
    international: 'If your country is not in the list, begin the number with + and its code, such as +44.',
    phoneWrong: 'This is not a complete phone number. Check the digits and the country code.',
    submit: 'Continue',
    next: 'Next you will see where to transfer. Nothing is charged now.',
  },
  banks: {
    label: 'Your bank',
    why: 'We will try to give you details at the same bank.',
    search: 'Find your bank',
    write: 'Not among these? Write its name, then continue.',
    find: 'Find',
    several: 'Several banks have such a name. Choose yours, or “Another bank”.',
    any: 'Another bank',
    none: 'No such bank here: choose “Another bank”.',
    noLink: 'No link for this bank. Open its app yourself.',
  },
  pay: {
    heading: 'Transfer the exact amount',
    amount: 'Amount of the transfer',
    exactly: 'Exactly this amount, in one transfer. We may not recognise any other.',
    bank: 'Bank',
    holder: 'Recipient',
    bic: 'BIC',
    openBank: (bank) => `Open ${bank}`,
    openOneOf: 'Open your bank',
    how: 'How to pay',
    howIn: (bank) => `How to pay in ${bank}`,
    claim: 'I have paid',
    claimNote: 'Press it after your bank has sent the transfer.',
    switchTo: (method) => `Pay another way: ${method}`,
    switchFailed: (method) => `There is no free recipient at the moment: ${method}. Pay to the details below.`,
    code: 'Pay by QR code',
    codeNote:
      'Scan it in your bank’s app, or save the picture and open it there: recipient, account and amount are filled in.',
    codeAlt: 'QR code with the details of the transfer for your bank’s app',
    saveCode: 'Save the picture',
    onPhone: 'Continue on your phone',
    onPhoneNote: 'Scan it with the camera: this page opens on the phone where your bank’s app is.',
    onPhoneAlt: 'QR code that opens this page on a phone',
  },
  checking: {
    heading: 'Looking for your transfer',
    lines: [
      'Your money is on its way from your bank. It usually takes a few minutes.',
      'You may close the page: the shop will learn about the payment all the same. Please do not pay twice.',
    ],
    amount: 'Amount of the transfer',
    notSent: 'I have not sent it yet',
    tooLate: 'If you have not sent it yet, do not send it now: the time to pay is over.',
  },
  receipts: {
    summary: 'Add the bank’s receipt',
    note: (size, count) =>
      `One file at a time: a PNG or JPEG picture or a PDF, up to ${size}. You can send ${count} in all. Only the staff who check payments can open them.`,
    file: 'Receipt from your bank',
    submit: 'Send the receipt',
    sent: 'We have received your receipt.',
    full: 'We have enough receipts, thank you.',
    wrong: (size) => `Choose a PNG or JPEG picture or a PDF of up to ${size}.`,
  },
  part: {
    heading: 'Part of the amount has arrived',
    received: (received, amount) => `We have received ${received} of ${amount}. It is kept for this order.`,
    missing: 'Still missing',
    exactly: 'Transfer exactly the missing amount, in one transfer, to the same details.',
    rest: 'If you do not send the rest in time, we decide what to credit. What has arrived is not lost, and the result will appear here.',
  },
  partOver: (received, amount) => ({
    heading: 'Do not send any more money',
    lines: [
      `The time to pay is over. We have received ${received} of ${amount}.`,
      'This money is not lost: we are deciding what to credit, and the result will appear here.',
    ],
  }),
  paid: (received, amount) => ({
    heading: 'Paid',
    lines:
      received === amount
        ? [`We have received ${amount} and notified the shop. There is nothing more to do.`]
        : [
            `We have received ${received}. Your order of ${amount} counts as paid in full.`,
            'We have notified the shop. There is nothing more to do.',
          ],
  }),
  credited: (final, amount) => ({
    heading: `Credited ${final}`,
    lines: [
      `The order was for ${amount}, but another amount arrived. Exactly what arrived was credited.`,
      'If you have questions about the difference, ask the shop.',
    ],
  }),
  creditedByStaff: (final, amount) => ({
    heading: `Credited ${final}`,
    lines: [
      `The order was for ${amount}. Staff have checked the payment, and ${final} was credited.`,
      'If you have questions, ask the shop.',
    ],
  }),
  expired: {
    heading: 'Do not send money to these details',
    lines: [
      'The time to pay is over and the details are no longer valid. To pay, start a new payment in the shop.',
      'Have you already sent the money? Do not send it again. We keep looking for it, and this page will show when it is found.',
    ],
  },
  expiredUnseen: {
    heading: 'The time to pay is over',
    lines: ['No money was taken. To pay, start a new payment in the shop.'],
  },
  expiredLong: {
    heading: 'Do not send money to these details',
    lines: [
      'The time to pay ended long ago and the details are no longer valid. To pay, start a new payment in the shop.',
      'Did you send the money then, and the shop has not received it? Ask the shop and name the order below.',
    ],
  },
  review: {
    heading: 'The payment is under review',
    lines: [
      'A member of staff is looking at it. Your money is not lost; please do not pay again.',
      'There is nothing to do for you now. The result will appear here.',
    ],
  },
  canceled: {
    heading: 'The payment is canceled',
    lines: ['We have received no money for it. Do not send any for this payment.'],
  },
  failed: {
    heading: 'The payment could not be made',
    lines: ['We have received no money for it. Do not send any; to pay, start a new payment in the shop.'],
  },
  claim: {
    summary: 'I already paid',
    note: 'Tell us about the transfer, so that we find it sooner.',
    amount: 'How much did you send?',
    amountWrong: 'Write the amount in digits, such as 5000.37.',
    paidAt: (zone) => `When? (${zone})`,
    paidAtWrong: 'Write the date and time of the transfer; it cannot be long before this payment or in the future.',
    receipt: 'Receipt from your bank, if you have one',
    submit: 'Send',
  },
  claimed: {
    heading: 'We are looking for your transfer',
    lines: [
      'Your message has arrived and staff will check it. When the money is found, this page and the shop will show it.',
      'Please do not pay again, and keep the receipt of your bank.',
    ],
    amount: 'You sent',
    paidAt: 'When',
  },
  claimedClosed: {
    heading: 'Staff will look for your transfer',
    lines: [
      'Your message has arrived. This payment is closed, so the money is not matched to it automatically: a person checks it, and the result will appear here.',
      'Please do not pay again, and keep the receipt of your bank.',
    ],
  },
  rejected: {
    heading: 'We have not found your transfer',
    lines: [
      'Staff have looked for it and closed your message. Do not send money to these details.',
      'Has the money left your account? Send the shop the receipt of your bank and name the order below.',
    ],
  },
  receipt: {
    link: 'Receipt',
    heading: 'Receipt',
    print: 'Print or save as PDF',
    fields: {
      received: 'Received',
      amount: 'Amount of the order',
      credited: 'Credited',
      shop: 'Paid to',
      order: 'Order',
      paidAt: 'Date',
      method: 'Method',
      to: 'Recipient’s details',
      from: 'Payer',
      id: 'Payment',
    },
    note: 'This confirms that the transfer was received for the order. It is not a fiscal receipt.',
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
  tooMany: {
    heading: 'Too many requests',
    lines: ['Your payment is safe. Wait a minute, then reload the page.'],
  },
  tooSlow: {
    heading: 'The file did not arrive in time',
    lines: ['Your payment is safe. Go back to the payment and send the file again on a better connection.'],
  },
  trouble: {
    heading: 'Something is wrong on our side',
    lines: ['Your payment is not lost, and you need not pay again. Reload the page in a minute.'],
  },
}
