import type { Dictionary } from './dictionary.ts'

/** English. */
export const english: Dictionary = {
  language: 'English',
  title: (shop) => `Payment to ${shop}`,
  error: 'Error',
  states: {
    details: 'Your details',
    pay: 'Awaiting your transfer',
    checking: 'Checking',
    part: 'Partly paid',
    'part-over': 'Expired',
    paid: 'Paid',
    credited: 'Credited',
    expired: 'Expired',
    claimed: 'Looking for your transfer',
    rejected: 'Transfer not found',
    review: 'Under review',
    canceled: 'Canceled',
    failed: 'Not completed',
  },
  payee: 'Payment to',
  order: 'Order',
  backToShop: (shop) => `Back to ${shop}`,
  backToPayment: 'Back to the payment',
  checkStatus: 'Check the status',
  live: 'This page updates automatically.',
  offline: 'You’re offline. Your payment is safe: this page will carry on once you’re back online.',
  forms: {
    busy: 'Sending…',
    failed: 'That didn’t go through. Nothing is lost: please try again.',
  },
  copy: 'Copy',
  copied: 'Copied',
  copyAmount: 'Copy the amount',
  copyNumber: 'Copy the number',
  copyBank: 'Copy the bank',
  copyHolder: 'Copy the recipient',
  copyBic: 'Copy the BIC',
  timeLeft: 'Time left',
  until: (time) => `Pay by ${time}`,
  left: (span) => `${span} left to pay`,
  testMode: 'Test mode: no real money is involved',
  simulate: {
    heading: 'Simulate a transfer',
    events: {
      paid: 'Exact amount',
      partial: 'Half the amount',
      underpaid: 'Too little',
      overpaid: 'Too much',
      late: 'Late',
      expired: 'Let it expire',
    },
  },
  methods: {
    sbp: {
      name: 'By phone number (SBP)',
      number: 'Phone number (SBP)',
    },
    'by-phone': {
      name: 'Abroad by phone number',
      number: 'Phone number',
    },
    'card-to-card': {
      name: 'By card number',
      number: 'Card number',
    },
    'account-to-account': {
      name: 'By account number',
      number: 'Account number',
    },
  },
  transfer: {
    bank: 'Choose the bank',
    phone: 'Enter the phone number',
    card: 'Enter the card number',
    phoneAbroad: (code) => `Enter the number, country code ${code}`,
    country: 'Choose the country',
    amount: 'Enter the amount',
    name: 'Check the recipient’s name',
    cardBank: 'Check the bank',
    recipient: 'Recipient',
    inn: 'INN (tax number)',
    kpp: 'KPP',
    account: 'Account number',
    bankName: 'Recipient’s bank',
    correspondentAccount: 'Correspondent account',
    purpose: 'Payment purpose',
    sum: 'Amount',
    copyField: (field) => `Copy: ${field}`,
    scan: 'Scan it in your bank’s app: recipient, account and amount are filled in.',
    purposeOf: (order) => `Payment for order ${order}`,
    abroad: (currency, amount) =>
      `The currency of the transfer is ${currency}. The bank converts it to the recipient’s currency. If your bank charges a fee, it comes on top: exactly ${amount} must arrive.`,
  },
  details: {
    heading: 'Who is paying?',
    amount: 'Amount to pay',
    method: 'How would you like to pay?',
    country: 'Country of your phone number',
    chooseCountry: 'Choose a country',
    otherCountry: 'Another country',
    phone: 'Your phone number',
    why: 'Enter the number your bank account is linked to: it helps us recognize your transfer. We store it encrypted, and the shop sees only the last four digits.',
    example: (phone) => `For example: ${phone}`,
    international: 'If your country isn’t listed, start with + and the country code, such as +44.',
    phoneExtension: 'A number with an extension won’t work. Enter the mobile number your bank account is linked to.',
    phoneWrong: 'This phone number isn’t complete. Check the digits and the country code.',
    submit: 'Continue',
    next: 'Next, you’ll see where to send the money. Nothing is charged yet.',
  },
  banks: {
    label: 'Your bank',
    why: 'If we can, we’ll give you an account at the same bank.',
    search: 'Find your bank',
    write: 'Don’t see it? Type its name, then continue.',
    find: 'Find',
    several: 'Several banks match that name. Choose yours, or “Another bank”.',
    any: 'Another bank',
    none: 'We couldn’t find that bank. Choose “Another bank”.',
    noLink: 'We have no link for this bank. Open its app yourself.',
  },
  pay: {
    heading: 'Transfer the exact amount',
    amount: 'Amount to send',
    exactly: 'Send exactly this amount in a single transfer, or we may not recognize it.',
    bank: 'Bank',
    holder: 'Recipient',
    bic: 'BIC',
    openBank: (bank) => `Open ${bank}`,
    openOneOf: 'Open your bank',
    howIn: (bank) => `How to pay in ${bank}`,
    claim: 'I’ve sent it',
    claimNote: 'Press this once your bank has sent the transfer.',
    payingFrom: (source) => `You’re paying from ${source}`,
    change: 'Change',
    switchTo: (method) => `Pay another way: ${method}`,
    switchFailed: (method) => `“${method}” isn’t available right now. Please use the details below.`,
    code: 'Pay by QR code',
    codeNote:
      'Scan it in your bank’s app, or save the image and open it there. The recipient, account and amount will be filled in for you.',
    codeAlt: 'QR code with the transfer details for your bank’s app',
    saveCode: 'Save the image',
    onPhone: 'Continue on your phone',
    onPhoneNote: 'Point your phone’s camera at the code to open this page there, next to your bank’s app.',
    onPhoneAlt: 'QR code that opens this page on a phone',
  },
  change: {
    heading: 'Change your details',
    note: 'Where to send the money and how much stays the same.',
    submit: 'Save',
  },
  cancel: {
    link: 'Cancel this payment',
    heading: 'Cancel this payment?',
    lines: [
      'Cancel only if you haven’t sent the money. Canceling doesn’t stop a transfer that your bank has already sent.',
      'If it’s on its way, go back and press “I’ve sent it” instead.',
    ],
    submit: 'Yes, cancel it',
    keep: 'No, go back',
  },
  support: {
    heading: 'Need help? Contact the shop:',
    phone: 'Call',
    link: 'Help page',
    messenger: 'Chat',
  },
  checking: {
    heading: 'Looking for your transfer',
    lines: [
      'Your money is on its way. It usually takes a few minutes.',
      'You can close this page: the shop will be notified either way. Please don’t pay twice.',
    ],
    amount: 'Transfer amount',
    notSent: 'I haven’t sent it yet',
    tooLate: 'If you haven’t sent the money yet, don’t send it now: the time to pay has run out.',
  },
  receipts: {
    summary: 'Attach your bank’s receipt',
    note: (size, count) =>
      `A photo, screenshot or PDF of up to ${size}, one at a time and ${count} in all. Only the staff who check payments can open it.`,
    file: 'Receipt from your bank',
    submit: 'Send the receipt',
    sent: 'We have your receipt.',
    full: 'We have enough receipts, thank you.',
    missing: 'Choose a file first: a photo or screenshot of the receipt, or its PDF.',
    wrongType: 'We can’t open this type of file. Choose a JPEG, PNG, WebP or HEIC image, or a PDF.',
    tooLarge: (size) => `This file is larger than ${size}. Choose a smaller one, such as a screenshot of the receipt.`,
  },
  part: {
    heading: 'Part of the amount has arrived',
    received: (received, amount) => `We’ve received ${received} of ${amount} and are holding it for this order.`,
    missing: 'Still missing',
    exactly: 'Send exactly this amount in a single transfer, using the same details.',
    rest: 'Without the rest, your order isn’t paid in full. If time runs out, what you sent isn’t lost: this page will show how much was credited.',
  },
  partOver: (received, amount, missing) => ({
    heading: 'Don’t send any more money',
    lines: [
      `The time to pay has run out. We’ve received ${received} of ${amount}; ${missing} is missing, so the order isn’t paid in full.`,
      'What you sent isn’t lost. We’re working out how much to credit to the order, and the result will appear here. The shop will tell you what happens with the order.',
    ],
  }),
  paid: (received, amount) => ({
    heading: 'Paid',
    lines:
      received === amount
        ? [`We’ve received ${amount} and notified the shop. You’re all set.`]
        : [
            `We’ve received ${received}, and your order of ${amount} counts as paid in full.`,
            'We’ve notified the shop. You’re all set.',
          ],
  }),
  credited: (final, amount) => ({
    heading: `Credited ${final}`,
    lines: [
      `The order was for ${amount}, but a different amount arrived. We credited exactly what arrived.`,
      'If you have questions about the difference, please contact the shop.',
    ],
  }),
  creditedByStaff: (final, amount) => ({
    heading: `Credited ${final}`,
    lines: [
      `The order was for ${amount}. Our staff checked the payment and credited ${final}.`,
      'If you have questions, please contact the shop.',
    ],
  }),
  expired: {
    heading: 'Don’t send money to these details',
    lines: [
      'The time to pay has run out, and the details are no longer valid. To pay, start again in the shop.',
      'Already sent it? Don’t send it again. We’re still looking for your transfer, and this page will show when it’s found.',
    ],
  },
  expiredUnseen: {
    heading: 'The time to pay has run out',
    lines: ['You haven’t been charged. To pay, start again in the shop.'],
  },
  expiredLong: {
    heading: 'Don’t send money to these details',
    lines: [
      'This payment expired long ago, and the details are no longer valid. To pay, start again in the shop.',
      'Did you pay back then, but the shop never got the money? Contact the shop and quote the order number below.',
    ],
  },
  review: {
    heading: 'Your payment is under review',
    lines: [
      'Our staff are looking at it. Your money isn’t lost; please don’t pay again.',
      'There’s nothing you need to do. The result will appear here.',
    ],
  },
  canceled: {
    heading: 'This payment was canceled',
    lines: ['We haven’t received any money for it. Please don’t send any.'],
  },
  canceledByPayer: {
    heading: 'You canceled this payment',
    lines: ['Please don’t send any money for it. If you change your mind, start again in the shop.'],
  },
  failed: {
    heading: 'This payment couldn’t be completed',
    lines: ['We haven’t received any money for it, so please don’t send any. To pay, start again in the shop.'],
  },
  claim: {
    summary: 'I’ve already paid',
    note: 'Tell us about the transfer so that we can find it sooner.',
    amount: 'How much did you send?',
    amountWrong: 'Enter the amount in digits, such as 5000.37.',
    paidAt: (zone) => `When did you send it? (${zone})`,
    paidAtLocal: 'When did you send it?',
    paidAtWrong:
      'Enter the date and time of the transfer. It can’t be long before this payment was made, or in the future.',
    receipt: 'Receipt from your bank, if you have one',
    submit: 'Send',
  },
  claimed: {
    heading: 'We’re looking for your transfer',
    lines: [
      'We’ve got your message, and our staff will check it. This page and the shop will show when the money is found.',
      'Please don’t pay again, and keep your bank’s receipt.',
    ],
    amount: 'You sent',
    paidAt: 'Sent at',
  },
  claimedClosed: {
    heading: 'Our staff will look for your transfer',
    lines: [
      'We’ve got your message. This payment is closed, so the transfer can’t be matched automatically: a person will check it, and the result will appear here.',
      'Please don’t pay again, and keep your bank’s receipt.',
    ],
  },
  rejected: {
    heading: 'We couldn’t find your transfer',
    lines: [
      'Our staff looked for it and found nothing. Don’t send money to these details.',
      'Did the money leave your account? Send the shop your bank’s receipt and quote the order number below.',
    ],
  },
  receipt: {
    link: 'Receipt',
    heading: 'Receipt',
    print: 'Print or save as PDF',
    fields: {
      received: 'Received',
      amount: 'Order amount',
      credited: 'Credited',
      shop: 'Paid to',
      order: 'Order',
      paidAt: 'Date',
      method: 'Method',
      to: 'Sent to',
      from: 'Sent from',
      id: 'Payment ID',
    },
    note: 'This confirms that your transfer for the order has arrived. It isn’t a tax receipt.',
  },
  problems: {
    unknownLink: {
      heading: 'We can’t find this payment',
      lines: [
        'The link may be incomplete. Open it again from the shop, and don’t send money to anyone until you see your payment here.',
      ],
    },
    foreignForm: {
      heading: 'This form wasn’t sent from the payment page',
      lines: ['Nothing has changed. Open the payment from the shop and try again there.'],
    },
    badRequest: {
      heading: 'That didn’t work',
      lines: ['Nothing has changed. Go back to the payment and try again.'],
    },
    wrongMethod: {
      heading: 'This address can’t be opened that way',
      lines: ['Nothing has changed. Go back to the payment and use its buttons.'],
    },
    tooSlow: {
      heading: 'The file didn’t arrive in time',
      lines: ['Your payment is safe. Go back to the payment and send the file again on a better connection.'],
    },
    tooLarge: {
      heading: 'That was too large to send',
      lines: [
        'Your payment is safe. Go back to the payment and choose a smaller file, such as a screenshot of the receipt.',
      ],
    },
    wrongType: {
      heading: 'We can’t read what was sent',
      lines: ['Your payment is safe. Go back to the payment and use the form there.'],
    },
    tooMany: {
      heading: 'Too many requests',
      lines: ['Your payment is safe. Wait a minute, then reload the page.'],
    },
    busy: {
      heading: 'We’re very busy right now',
      lines: ['Your payment is safe, and you don’t need to pay again. Reload the page in a minute.'],
    },
    trouble: {
      heading: 'Something went wrong on our side',
      lines: ['Your payment isn’t lost, and you don’t need to pay again. Reload the page in a minute.'],
    },
  },
}
