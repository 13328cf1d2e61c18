import { noFeeCap } from '../../../../src/rules/merchants/fee.ts'
import { defaultTerms } from '../../../../src/rules/merchants/merchant.ts'
import type { PaymentMethod } from '../../../../src/rules/values/payment-method.ts'
import type { TermsAnswer, TermsChange } from '../../../../src/operations/terms.ts'

/** Fields of the fee: name, label and unit, which is `%` or the quote currency. */
export const feeFields = (currency: string) =>
  [
    ['fee', 'Percent of the credited amount', '%'],
    ['feeFixed', 'Fixed part', currency],
    ['feeMin', 'At least', currency],
    ['feeMax', 'At most', currency],
  ] as const

/** Fields of times and tolerances. */
export const windowFields = [
  ['timeToPay', 'Time to pay', 'min'],
  ['grace', 'Grace: the bank booked it in time', 'min'],
  ['lateWindow', 'Late money is still credited', 'min'],
  ['confirmDeadline', 'Waits after “I have paid”', 'min'],
  ['coolDown', 'Amount stays reserved once paid', 'min'],
  ['tolerance', 'Difference that counts as exact', 'of the currency'],
  ['mismatchBound', 'Another amount may differ by', '%'],
  ['creditCap', 'Credited without a person, at most', '%'],
] as const

const credit = [
  { value: 'credit-received', label: 'Credit what came' },
  { value: 'review', label: 'A person decides' },
]
const asMismatch = [{ value: '', label: 'As with another amount' }, ...credit]

/** Choices of what to do with odd money. */
export const policyFields = [
  { name: 'mismatchPolicy', label: 'Another amount came', options: credit },
  { name: 'underpaidPolicy', label: 'Too little came', options: asMismatch },
  { name: 'overpaidPolicy', label: 'Too much came', options: asMismatch },
  {
    name: 'partialPolicy',
    label: 'A part came while there is time',
    options: [
      { value: '', label: 'Wait for the rest' },
      { value: 'review', label: 'A person decides' },
    ],
  },
  {
    name: 'latePolicy',
    label: 'The exact amount came late',
    options: [
      { value: '', label: 'Credit it' },
      { value: 'review', label: 'A person decides' },
    ],
  },
  {
    name: 'ratePolicy',
    label: 'The rate of late and further money',
    options: [
      { value: '', label: 'The worse of the locked and the current one' },
      { value: 'locked', label: 'The locked one' },
    ],
  },
  {
    name: 'paidAgainPolicy',
    label: 'The payer paid again',
    options: [
      { value: '', label: 'Owe it to the payer' },
      { value: 'review', label: 'A person decides' },
    ],
  },
  {
    name: 'payoutPolicy',
    label: 'Settlements take',
    options: [
      { value: '', label: 'All that is credited' },
      { value: 'proven', label: 'What not only a phone has reported' },
    ],
  },
  {
    name: 'refundFee',
    label: 'The fee of refunds',
    options: [
      { value: '', label: 'Stays' },
      { value: 'returned', label: 'Is returned in proportion' },
    ],
  },
  {
    name: 'equalAmounts',
    label: 'Every account holds the amount',
    options: [
      { value: '', label: 'Staged payments share it' },
      { value: 'share', label: 'All payments share it' },
      { value: 'refuse', label: 'No payment is created' },
    ],
  },
] as const

/**
 * Numbers that the form has in another unit: their names in the terms, and how many of the terms' units make one of the
 * form's.
 */
const units = {
  fee: ['feePpm', 10_000],
  feeFixed: ['feeFixedMicro', 1_000_000],
  feeMin: ['feeMinMicro', 1_000_000],
  feeMax: ['feeMaxMicro', 1_000_000],
  timeToPay: ['timeToPayMs', 60_000],
  grace: ['graceMs', 60_000],
  lateWindow: ['lateWindowMs', 60_000],
  confirmDeadline: ['confirmDeadlineMs', 60_000],
  coolDown: ['coolDownMs', 60_000],
  tolerance: ['toleranceMinor', 100],
  mismatchBound: ['mismatchBoundPpm', 10_000],
  creditCap: ['creditCapPpm', 10_000],
} as const

const usual = {
  partialPolicy: 'add-up',
  latePolicy: 'credit',
  ratePolicy: 'worse',
  paidAgainPolicy: 'overpayment',
  payoutPolicy: 'all',
  refundFee: 'kept',
} as const

type Unit = keyof typeof units
const unitNames = Object.keys(units) as Unit[]

/** Terms as a form has them: numbers as text, in units for people. */
export type TypedTerms = Readonly<Record<Unit | (typeof policyFields)[number]['name'], string>>

/** The form's fields, filled from terms. */
export const typeTerms = (terms: TermsAnswer): TypedTerms => {
  const numbers = unitNames.map((name) => {
    const [field, size] = units[name]
    const value = terms[field]
    return [name, name === 'feeMax' && value >= Number(noFeeCap) ? '' : String(value / size)]
  })
  const policies = policyFields.map(({ name }) => {
    const value = terms[name] ?? ''
    return [name, Object.entries(usual).some(([policy, word]) => policy === name && word === value) ? '' : value]
  })
  return Object.fromEntries([...numbers, ...policies]) as TypedTerms
}

/** Reads the form into terms for a request; those with the default value follow it. */
export const readTerms = (typed: TypedTerms, method: PaymentMethod): TermsChange => {
  const defaults = defaultTerms(method)
  const numbers = unitNames.map((name) => {
    const [field, size] = units[name]
    const value = typed[name] === '' ? Number(defaults[field]) : Math.round(Number(typed[name]) * size)
    return [field, value === Number(defaults[field]) ? null : value] as const
  })
  const policies = policyFields.map(
    ({ name }) => [name, typed[name] === '' || typed[name] === defaults[name] ? null : typed[name]] as const,
  )
  return Object.fromEntries([...numbers, ...policies]) as TermsChange
}
