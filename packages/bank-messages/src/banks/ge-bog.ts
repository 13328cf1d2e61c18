import type { Bank } from '../bank.ts'

export const bog: Bank = {
  bank: 'bog',
  country: 'ge',
  currency: 'gel',
  thousands: ',',
  senders: 'unknown',
  templates: {
    credit: ['sakartvelos banki: tanxis charicxva tanxa: {amount:before} angarishze: {text} tarigi: {time}'],
    debit: [
      'sakartvelos banki: gasavlis operacia tanxa: {amount:before} angarishidan: {text} tarigi: {time}',

      'sakartvelos banki: sabarate operacia operaciis tipi: ganagdeba baratis bolo 4 cipri: {account} tanxa: {amount:before} nashti angarishze: {balance:before} {text} tarigi: {time}',
    ],
  },
}
