import { paymentStatuses } from '../../../../src/rules/payments/payment.ts'
import type { Filter } from '../../table/filter-bar.tsx'
import { spans } from '../../table/within.ts'
import { amountPattern } from '../../money.ts'

const sorts = [
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: '-amount', label: 'Largest first' },
  { value: 'amount', label: 'Smallest first' },
]

const amount = amountPattern()

/**
 * Filters that are in the address already: those by amount need a currency, and a link is chosen on the page of links.
 */
type Given = { readonly currency?: string | undefined; readonly linkId?: string | undefined }

/** The filters of the list of payments. */
export const paymentFilters = ({ currency, linkId }: Given): readonly (Filter | string)[] => [
  ...(linkId === undefined
    ? []
    : [{ name: 'linkId', label: 'Payment link', options: [{ value: linkId, label: 'Of one link' }], width: 132 }]),
  { name: 'status', label: 'Any status', options: paymentStatuses, width: 124 },
  { name: 'within', label: 'Any time', options: spans, width: 132 },
  'merchantId',
  'method',
  { name: 'bank', label: 'Bank code', pattern: /^[a-z0-9][a-z0-9-]*$/, width: 108 },
  {
    name: 'unusual',
    label: 'Exceptions',
    options: [
      { value: 'amount', label: 'Another amount came' },
      { value: 'late', label: 'Came late' },
      { value: 'disputed', label: 'Disputed' },
    ],
    width: 150,
  },
  {
    name: 'acknowledged',
    label: 'Acknowledged',
    options: [
      { value: 'true', label: 'Acknowledged' },
      { value: 'false', label: 'Not acknowledged' },
    ],
    width: 142,
  },
  { name: 'payerDigits', label: 'Payer ····', pattern: /^\d{4}$/, width: 88 },
  {
    name: 'currency',
    label: 'Currency',
    pattern: /^[a-z]{3}$/,
    alsoChanges: (value) => (value === '' ? { amountFrom: undefined, amountTo: undefined, sort: undefined } : {}),
    width: 84,
  },
  ...(currency !== undefined
    ? [
        { name: 'amountFrom', label: 'From', pattern: amount, width: 96 },
        { name: 'amountTo', label: 'To', pattern: amount, width: 96 },
      ]
    : []),
  {
    name: 'sort',
    label: 'Order',
    options: currency !== undefined ? sorts : sorts.slice(0, 2),
    usual: 'newest',
    width: 132,
  },
]
