import type { Bank } from '../bank.ts'

export const otkritie: Bank = {
  bank: 'otkritie',
  country: 'ru',
  currency: 'rub',
  senders: ['OTKRITIE'],
  templates: {
    credit: [
      'На карту {account} зачислено {amount} {left} {balance}',

      'Карта {account} Зачислено {amount} [Деньги станут доступны в течение часа] {time}',
      'Вы внесли {amount} в банкомате {text} на карту {account}. {left} {balance}',
    ],
    debit: [
      'С карты {account} списано {amount} {left} {balance}',

      'Вы <перевели|сняли> {amount} [в банкомате {text}] с карты {account}. {left} {balance}',
      'Вы заплатили {amount} в {text} картой {account}. {left} {balance}',
    ],
  },
}
