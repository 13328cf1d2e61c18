import type { Bank } from '../bank.ts'

export const vasl: Bank = {
  bank: 'vasl',
  country: 'tj',
  currency: 'tjs',
  packages: 'unknown',
  templates: { credit: ['Vasl Pay от {bank} на сумму {amount}'] },
}
