import type { Bank } from '../bank.ts'

export const wb: Bank = {
  bank: 'wb',
  country: 'ru',
  currency: 'rub',
  packages: ['com.wildberries.ru'],
  titles: ['WB Банк'],
  templates: { credit: ['Выплата процентов {amount}[.] {left} {balance}'] },
}
