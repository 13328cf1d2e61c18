/** What each kind of account holds, in words. */
export const kindWords: Readonly<Record<string, string>> = {
  bank: 'Money at the banks',
  suspense: 'Unmatched money',
  overpayment: 'Owed to payers',
  merchant: 'Owed to merchants',
  corrections: 'Credited without money to cover it',
  ignored: 'Ignored: belongs to no payment',
  reversed: 'Taken back by banks after it was credited',
  fees: 'Fee income',
  'written-off': 'Owed to payers once, and kept',
  rounding: 'Rounding differences',
  unexplained: 'Outgoing money that nobody has explained',
  'bank-fees': 'Fees paid to banks',
  expenses: 'Other expenses',
  opening: 'Opening balances',
  payouts: 'Left the banks for settlements',
  fx: 'Currency exchange',
}

/** The page that lists what the balance of a kind of account consists of. */
export const kindPages = {
  suspense: { to: '/matching', text: 'the transfers in Matching' },
  overpayment: { to: '/overpayments', text: 'the overpayments' },
  unexplained: { to: '/outgoing', search: { state: 'unexplained' }, text: 'the outgoing money' },
} as const

/** The kind of an account: the first part of its name. */
export const kindOf = (account: string): string => account.split(':')[0] ?? account
