/** What each kind of account holds, in the words of the page. */
export const kindWords: Readonly<Record<string, string>> = {
  bank: 'Money at the banks',
  suspense: 'Waits for its payment',
  overpayment: 'Owed to payers',
  merchant: 'Owed to merchants',
  corrections: 'Credited without money',
  ignored: 'Belongs to no payment',
  reversed: 'Taken back after it was credited',
  fees: 'Earned',
  rounding: 'Remainders',
  unexplained: 'Left, and nobody has said what for',
  'bank-fees': 'Paid to banks',
  expenses: 'Other expenses',
  opening: 'Held before the first day',
  fx: 'Exchange',
}

/** The kind of an account: the first part of its name. */
export const kindOf = (account: string): string => account.split(':')[0] ?? account
