import { methodRules, paymentMethods, type TransferScope } from '../domain/payment-method.ts'
import { type Inputs, option } from './inputs.ts'
import { digits, exactNumber, hours, orNone, wholeNumber } from './read-arguments.ts'

/** How the limits of a requisite are read, under the names that they have in the request. */
export const limitReaders = {
  minAmount: orNone(exactNumber),
  maxAmount: orNone(exactNumber),
  dayAmount: orNone(exactNumber),
  dayCount: orNone(wholeNumber),
  monthAmount: orNone(exactNumber),
  monthCount: orNone(wholeNumber),
  openPayments: orNone(wholeNumber),
  workingMinutes: orNone(hours),
  pauseAfter: orNone(wholeNumber),
  utcOffsetMinutes: Number,
} satisfies Readonly<Record<string, (typed: string) => unknown>>

/** The options for these limits. */
export const limitInputs = {
  minAmount: option('--min-amount <amount>', 'smallest transfer, or none', limitReaders.minAmount),
  maxAmount: option('--max-amount <amount>', 'largest transfer, or none', limitReaders.maxAmount),
  dayAmount: option('--day-amount <amount>', 'sum of a day, or none', limitReaders.dayAmount),
  dayCount: option('--day-count <count>', 'payments of a day, or none', limitReaders.dayCount),
  monthAmount: option('--month-amount <amount>', 'sum of a month, or none', limitReaders.monthAmount),
  monthCount: option('--month-count <count>', 'payments of a month, or none', limitReaders.monthCount),
  openPayments: option(
    '--open-payments <count>',
    'payments that are open at a time, or none',
    limitReaders.openPayments,
  ),
  workingMinutes: option(
    '--working-hours <hours>',
    'when it is handed out, such as 09:00-21:00, or none',
    limitReaders.workingMinutes,
  ),
  pauseAfter: option(
    '--pause-after <count>',
    'expired payments or unknown transfers in a row that pause it, or none',
    limitReaders.pauseAfter,
  ),
  utcOffsetMinutes: option('--utc-offset <minutes>', 'time zone of its days and hours, such as 180', Number),
} satisfies Inputs

/** The options for what banks and payers see of a recipient, under the names that they have in the request. */
export const recipientInputs = {
  givenName: option('--given-name <name>', 'given name, which payers see', orNone(String)),
  familyName: option('--family-name <name>', 'family name, of which payers see the first letter', orNone(String)),
  shownAs: option('--shown-as <name>', 'name that payers see in place of both', orNone(String)),
  inn: option('--inn <digits>', 'tax number, for payment orders in Russia', orNone(String)),
  kpp: option('--kpp <digits>', 'KPP of an organisation', orNone(String)),
  bic: option('--bic <digits>', "BIC of the branch, where it is not the bank's", orNone(digits)),
  correspondentAccount: option(
    '--correspondent-account <number>',
    'correspondent account of the branch',
    orNone(digits),
  ),
  purpose: option('--purpose <text>', 'purpose of payment orders; {order} is replaced by the order', orNone(String)),
} satisfies Inputs

/** The only scope of a method; `undefined` for one without, and for a word that the service will refuse. */
export const scopeOf = (method: string | undefined): TransferScope | undefined => {
  const known = paymentMethods.find((each) => each === method)
  return (known && methodRules[known].transferScope) ?? undefined
}
