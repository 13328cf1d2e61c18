import type { Bank } from '../bank.ts'

export const otkritie: Bank = {
  bank: 'otkritie',
  country: 'ru',
  currency: 'rub',
  senders: ['OTKRITIE'],
  templates: {
    credit: [
      'На карту {account} зачислено {amount} Доступно {balance}',

      'Карта {account} Зачислено {amount} [Деньги станут доступны в течение часа] {time}',
      'Вы внесли {amount} в банкомате {text} на карту {account}. Доступно {balance}',
    ],
    debit: [
      'Вы <перевели|сняли> {amount} [в банкомате {text}] с карты {account}. Доступно {balance}',
      'Вы заплатили {amount} в {text} картой {account}. Доступно {balance}',
    ],
  },
}
