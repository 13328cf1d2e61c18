import type { Bank } from '../bank.ts'

export const demirbank: Bank = {
  bank: 'demirbank',
  country: 'kg',
  currency: 'kgs',
  senders: ['DemirBank'],
  templates: { credit: ['{time} Vy poluchili perevod {amount} [Tel {phone}]'] },
}
