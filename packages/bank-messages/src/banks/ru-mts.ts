import type { Bank } from '../bank.ts'

export const mts: Bank = {
  bank: 'mts',
  country: 'ru',
  currency: 'rub',
  senders: ['MTS-Bank'],
  parts: {
    rest: '<{left}|<Limit|Лимит>:> {balance}',
    own: '[; Собственные средства: {sum}; Кредит: {sum}]',
    end: '[.] [ПАО "МТС-Банк"|МТС-Банк|МТС Банк]',
  },
  templates: {
    other: ['По договору {text} необходимо внести платеж {amount} до {moment}. {text}'],
    credit: [
      'Поступление {amount} {person:open} через СБП[.] [{left} {balance}]',
      'Приход по счету карты [{word}] {account}; {amount}; {rest}{own}',
      '<Пополнение|Popolnenie> [{word}] {account}; {time}; {amount}; {rest}{own}',
      'Поступление на счет {account} {amount} от {name}; {rest}{end}',
      '<Perevod na kartu|Перевод на карту> [{word}] {account}; {time}; {text}; {amount}; {rest}{own}',
    ],
    debit: [
      '<Перевод с карты|Perevod s karty|Nalichnye|Наличные|Pokupka|Покупка|Oplata|Оплата> [{word}] {account}; {time}; {text}; {amount}; {rest}{own}',
      'ПАО "МТС-Банк" уведомляет о переводе со счета {account} на карту {card}: {amount}; {rest}; {time}',
      'Списание комиссии {amount} за {text} по карте {account}{end}',
    ],
  },
}
