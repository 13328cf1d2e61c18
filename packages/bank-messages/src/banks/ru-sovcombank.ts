import type { Bank } from '../bank.ts'

export const sovcombank: Bank = {
  bank: 'sovcombank',
  country: 'ru',
  currency: 'rub',
  senders: 'unknown',
  templates: {
    credit: ['<Халва|{account}> пополнена {amount}[.] {left} {balance:bare} [Подробнее] [{link}]'],
    debit: [
      '<Халва|{account}> оплата {amount}[.] {text} {left} {balance:bare} [{link}]',
      'ХАЛВА погашено {amount} Платеж по графику рассрочки внесен целиком',
    ],
  },
}
