import type { Bank } from '../bank.ts'

export const pumb: Bank = {
  bank: 'pumb',
  country: 'ua',
  currency: 'uah',
  packages: 'unknown',
  // The title alone says that money has come in.
  templates: { credit: ['Надходження {amount:glued}{text} {time} Картка: {account} {left} {balance}'] },
}
