import { englishLinks } from './english-links.ts'
import { message } from './message.ts'

/** English, the source; each other language is a file in `languages`, in which `{0}` is the first value of a text. */
export const english = {
  /** The language's own name, for the link to it. */
  language: 'English',
  /** The heading of the page that lists the languages. */
  languages: 'Language',
  title: (shop: string) => `Payment to ${shop}`,
  /** Precedes the title of a page that shows what to correct. */
  error: 'Error',
  payee: 'Payment to',
  order: 'Order',
  backToShop: (shop: string) => `Back to ${shop}`,
  backToPayment: 'Back to the payment',
  checkStatus: 'Check the status',
  /** Shown while the page updates automatically, and while it cannot. */
  live: 'This page updates automatically.',
  offline: 'You’re offline. This page will carry on once you’re back online.',
  /** What the script says about a form that is being sent, or got no response. */
  forms: {
    busy: 'Sending…',
    failed: 'That didn’t go through. Nothing is lost: please try again.',
  },
  copy: 'Copy',
  copied: 'Copied',
  copyAmount: 'Copy the amount',
  copyNumber: 'Copy the number',
  copyBank: 'Copy the bank',
  copyCode: 'Copy the code',
  timeLeft: 'Time left',
  /** Shown without the script, `19:30 (UTC+3)`. */
  until: (time: string) => `Pay by ${time}`,
  /** Announced when this much time is left, `5 minutes`. */
  left: (span: string) => `${span} left to pay`,
  testMode: 'Test mode: no real money is involved',
  /** How payers know a method, and what to do with its number in the bank's app or form. */
  methods: {
    'card-to-card': { name: 'By card number', number: 'Enter the card number' },
    sbp: { name: 'By phone number (SBP)', number: 'Enter the phone number' },
    'account-to-account': { name: 'By account number', number: 'Account number' },
    'by-phone': { name: 'Abroad by phone number', number: 'Enter the phone number' },
  },
  /** What to enter in the bank's app, in the order in which it asks. */
  transfer: {
    bank: 'Choose the bank',
    /** The number of a phone abroad, without its country code such as `+998`. */
    phoneAbroad: (code: string) => `Enter the number, country code ${code}`,
    country: 'Choose the country',
    amount: 'Enter the amount',
    name: 'Check the recipient’s name',
    cardBank: 'Check the bank',
    /** The code that distinguishes the transfer from others of the same amount. */
    code: 'Put this code in the message: it tells us the transfer is yours. No message field? Send without it',
    /** The fields of a payment order, as the forms of banks call them. */
    recipient: 'Recipient',
    inn: 'INN (tax number)',
    kpp: 'KPP',
    bankName: 'Recipient’s bank',
    correspondentAccount: 'Correspondent account',
    purpose: 'Payment purpose',
    sum: 'Amount',
    /** Says what a copy button of one of these fields copies. */
    copyField: (field: string) => `Copy: ${field}`,
    /** Next to the QR code of the transfer, on a large screen. */
    scan: 'Scan it in your bank’s app: recipient, account and amount are filled in.',
    /** The usual purpose of a payment order. */
    purposeOf: (order: string) => `Payment for order ${order}`,
    /** Under the details of a transfer abroad: who converts, and that the fee comes on top. `currency` is its name. */
    abroad: (currency: string, amount: string) =>
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
    example: (phone: string) => `For example: ${phone}`,
    international: 'If your country isn’t listed, start with + and the country code, such as +44.',
    phoneExtension: 'A number with an extension won’t work. Enter the mobile number your bank account is linked to.',
    phoneMissing: 'Enter your phone number.',
    phoneWrong: 'This phone number isn’t complete. Check the digits and the country code.',
    /** Asked only where others may be paying the same amount. */
    name: 'Your name at your bank',
    nameHint:
      'As your bank shows it to others: first name, patronymic if you have one, and the first letter of your family name. For example: Ivan Ivanovich P.',
    nameWhy:
      'Other people may be paying the same amount right now: your name helps us recognize your transfer. We store it encrypted.',
    nameWrong: 'Enter your first name and at least the first letter of your family name.',
    submit: 'Continue',
    next: 'Next, you’ll see where to send the money. Nothing is charged yet.',
  },
  banks: {
    label: 'Your bank',
    why: 'If we can, we’ll give you an account at the same bank.',
    /** Where a name is asked for as well. */
    whyNamed: 'The bank you will pay from: it helps us recognize your transfer.',
    search: 'Find your bank',
    /** Shown without the script; `find` is the button of the search. */
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
    bic: 'BIC',
    openBank: (bank: string) => `Open ${bank}`,
    openOneOf: 'Open your bank',
    howIn: (bank: string) => `How to pay in ${bank}`,
    claim: 'I’ve sent it',
    claimNote: 'Press this once your bank has sent the transfer.',
    /** Whose transfer is awaited: a masked number and, if it is known, a bank. */
    payingFrom: (source: string) => `You’re paying from ${source}`,
    change: 'Change',
    switchTo: (method: string) => `Pay another way: ${method}`,
    switchFailed: (method: string) => `“${method}” isn’t available right now. Please use the details below.`,
    code: 'Pay by QR code',
    codeNote:
      'Scan it in your bank’s app, or save the image and open it there. The recipient, account and amount will be filled in for you.',
    codeAlt: 'QR code with the transfer details for your bank’s app',
    saveCode: 'Save the image',
    /** The link of the SBP, whose amount the payer enters. */
    openSbp: 'Pay in your bank’s app',
    sbpNote: (amount: string) => `The recipient is filled in there. Enter exactly ${amount}.`,
    scanSbp: 'Scan it with your phone’s camera or in your bank’s app.',
    onPhone: 'Continue on your phone',
    onPhoneNote:
      'Point your phone’s camera at the code to open this page there, next to your bank’s app. It isn’t a payment code: the bank’s app can’t read it.',
    onPhoneAlt: 'QR code that opens this page on a phone',
  },
  /** The page on which a payer corrects its number and bank after the requisite has been shown. */
  change: {
    heading: 'Change your details',
    note: 'Where to send the money and how much stays the same.',
    submit: 'Save',
  },
  /** The page on which a payer confirms that it will not pay. */
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
  /** How to reach the shop's support, on every bad ending. */
  support: {
    heading: 'Need help? Contact the shop:',
    link: 'Help page',
    messenger: 'Chat',
  },
  checking: {
    heading: 'Looking for your transfer',
    lines: [
      'You said that you’ve sent it, and we’re checking. It usually takes a few minutes.',
      'You can close this page: your payment counts either way. Please don’t pay twice.',
    ],
    amount: 'Transfer amount',
    notSent: 'I haven’t sent it yet',
    tooLate: 'If you haven’t sent the money yet, don’t send it now: the time to pay has run out.',
  },
  receipts: {
    summary: 'Attach your bank’s receipt',
    note: (size: string, count: string) =>
      `A photo, screenshot or PDF of up to ${size}, one at a time and ${count} in all. Only the staff who check payments can open it.`,
    file: 'Receipt from your bank',
    submit: 'Send the receipt',
    sent: 'We have your receipt.',
    full: 'We have enough receipts, thank you.',
    /** Each says what to do: no file, one of another type, one that is too large. */
    missing: 'Choose a file first: a photo or screenshot of the receipt, or its PDF.',
    wrongType: 'We can’t open this type of file. Choose a JPEG, PNG, WebP or HEIC image, or a PDF.',
    tooLarge: (size: string) =>
      `This file is larger than ${size}. Choose a smaller one, such as a screenshot of the receipt.`,
  },
  part: {
    heading: 'Part of the amount has arrived',
    received: (received: string, amount: string) =>
      `We’ve received ${received} of ${amount} and are holding it for this order.`,
    missing: 'Still missing',
    exactly: 'Send exactly this amount in a single transfer, using the same details.',
    rest: 'Without the rest, your order isn’t paid in full. If time runs out, what you sent isn’t lost: this page will show how much was credited.',
  },
  partOver: (received: string, amount: string, missing: string) =>
    message(
      'Don’t send any more money',
      `The time to pay has run out. We’ve received ${received} of ${amount}; ${missing} is missing, so the order isn’t paid in full.`,
      'What you sent isn’t lost. We’re working out how much to credit to the order, and the result will appear here. The shop will tell you what happens with the order.',
    ),
  paid: (amount: string) => message('Paid', `We’ve received ${amount}. You’re all set.`),
  /** Money within the tolerance of the amount. */
  nearlyPaid: (received: string, amount: string) =>
    message(
      'Paid',
      `We’ve received ${received}, and your order of ${amount} counts as paid in full.`,
      'You’re all set.',
    ),
  credited: (final: string, amount: string) =>
    message(
      `Credited ${final}`,
      `The order was for ${amount}, but a different amount arrived. We credited exactly what arrived.`,
      'If you have questions about the difference, please contact the shop.',
    ),
  creditedByStaff: (final: string, amount: string) =>
    message(
      `Credited ${final}`,
      `The order was for ${amount}. Our staff checked the payment and credited ${final}.`,
      'If you have questions, please contact the shop.',
    ),
  expired: message(
    'Don’t send money to these details',
    'The time to pay has run out, and the details are no longer valid. To pay, start again.',
    'Already sent it? Don’t send it again. We’re still looking for your transfer, and this page will show when it’s found.',
  ),
  /** For a payment whose requisite nobody has seen. */
  expiredUnseen: message('The time to pay has run out', 'You haven’t been charged. To pay, start again.'),
  /** For a payment whose money is no longer looked for. */
  expiredLong: message(
    'Don’t send money to these details',
    'This payment expired long ago, and the details are no longer valid. To pay, start again.',
    'Did you pay back then, but the shop never got the money? Contact the shop and quote the order number below.',
  ),
  review: message(
    'Your payment is under review',
    'Our staff are looking at it. Please don’t pay again.',
    'There’s nothing you need to do. The result will appear here.',
  ),
  canceled: message('This payment was canceled', 'We haven’t received any money for it. Please don’t send any.'),
  canceledByPayer: message(
    'You canceled this payment',
    'Please don’t send any money for it. If you change your mind, start again.',
  ),
  failed: message(
    'This payment couldn’t be completed',
    'We haven’t received any money for it, so please don’t send any. To pay, start again.',
  ),
  claim: {
    summary: 'I’ve already paid',
    note: 'Tell us about the transfer so that we can find it sooner.',
    amount: 'How much did you send?',
    amountWrong: (most: string) => `Enter the amount in digits, at most ${most}.`,
    paidAt: (zone: string) => `When did you send it? (${zone})`,
    /** The same, if the script gives the browser's zone. */
    paidAtLocal: 'When did you send it?',
    paidAtWrong:
      'Enter the date and time of the transfer. It can’t be long before this payment was started, or in the future.',
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
  /** For a closed payment to which late money is no longer matched automatically. */
  claimedClosed: message(
    'Our staff will look for your transfer',
    'We’ve got your message. This payment is closed, so the transfer can’t be matched automatically: a person will check it, and the result will appear here.',
    'Please don’t pay again, and keep your bank’s receipt.',
  ),
  /** For a payment whose payer's claim staff have rejected. */
  rejected: message(
    'We couldn’t find your transfer',
    'Our staff looked for it and found nothing. Don’t send money to these details.',
    'Did the money leave your account? Send the shop your bank’s receipt and quote the order number below.',
  ),
  receipt: {
    heading: 'Receipt',
    print: 'Print or save as PDF',
    fields: {
      received: 'Received',
      amount: 'Order amount',
      credited: 'Credited',
      shop: 'Paid to',
      paidAt: 'Date',
      method: 'Method',
      to: 'Sent to',
      from: 'Sent from',
      id: 'Payment ID',
    },
    note: 'This confirms that your transfer for the order has arrived. It isn’t a tax receipt.',
  },
  /** What the shop gives back of a paid payment. */
  refunds: {
    heading: 'Refund',
    asked: (amount: string) => `The shop is giving ${amount} back to you. It hasn’t been sent yet.`,
    askedTo: (amount: string, account: string) =>
      `The shop is giving ${amount} back to you, to ${account}. It hasn’t been sent yet.`,
    sent: (amount: string) => `${amount} has been sent back to you. Your bank may take a few days to show it.`,
    done: (amount: string) => `${amount} has been sent back to you, and the bank has confirmed it.`,
    account: 'Where should we send it?',
    accountNote: 'Your bank didn’t name your account. Write the number of your card, phone or account, with the bank.',
    accountWrong: 'Write the whole number of your card, phone or account.',
    submit: 'Send it there',
  },
  /** Pages for refused requests. */
  problems: {
    unknownLink: message(
      'We can’t find this payment',
      'The link may be incomplete. Open it again from the shop, and don’t send money to anyone until you see your payment here.',
    ),
    foreignForm: message(
      'This form wasn’t sent from the payment page',
      'Nothing has changed. Open the payment from the shop and try again there.',
    ),
    badRequest: message('That didn’t work', 'Nothing has changed. Go back to the payment and try again.'),
    tooSlow: message(
      'The file didn’t arrive in time',
      'Your payment is safe. Go back to the payment and send the file again on a better connection.',
    ),
    tooLarge: message(
      'That was too large to send',
      'Your payment is safe. Go back to the payment and choose a smaller file, such as a screenshot of the receipt.',
    ),
    tooMany: message('Too many requests', 'Your payment is safe. Wait a minute, then reload the page.'),
    trouble: message(
      'Something went wrong on our side',
      'Reload the page in a minute. If you’ve already sent the money, don’t send it again.',
    ),
  },
  links: englishLinks,
}

/** All texts of the payer's page in one language; amounts, spans and names are passed in ready to read. */
export type Dictionary = typeof english
