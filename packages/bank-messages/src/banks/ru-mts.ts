import type { Bank } from '../bank.ts'

export const mts: Bank = {
  bank: 'mts',
  country: 'ru',
  currency: 'rub',
  senders: ['MTS-Bank'],
  parts: {
    left: '<Остаток|Ostatok|Limit|Лимит>: {balance}',
    own: '[; Собственные средства: {sum}; Кредит: {sum}]',
    end: '[.] [ПАО "МТС-Банк"|МТС-Банк|МТС Банк]',
  },
  templates: {
    other: ['По договору {text} необходимо внести платеж {amount} до {moment}. {text}'],
    credit: [
      'Поступление {amount} {person:open} через СБП[.]',
      'Приход по счету карты [{word}] {account}; {amount}; {left}{own}',
      '<Пополнение|Popolnenie> [{word}] {account}; {time}; {amount}; {left}{own}',
      'Поступление на счет {account} {amount} от {name}; {left}{end}',
      '<Perevod na kartu|Перевод на карту> [{word}] {account}; {time}; {text}; {amount}; {left}{own}',
    ],
    debit: [
      '<Перевод с карты|Perevod s karty|Nalichnye|Наличные|Pokupka|Покупка|Oplata|Оплата> [{word}] {account}; {time}; {text}; {amount}; {left}{own}',
      'ПАО "МТС-Банк" уведомляет о переводе со счета {account} на карту {card}: {amount}; {left}; {time}',
      'Списание комиссии {amount} за {text} по карте {account}{end}',
    ],
  },
}
