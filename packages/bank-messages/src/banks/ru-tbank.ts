import type { Bank } from '../bank.ts'

export const tbank: Bank = {
  bank: 'tbank',
  country: 'ru',
  currency: 'rub',
  thousands: ',',
  senders: ['Tinkoff', 'Ваш Т-Банк'],
  packages: ['com.idamob.tinkoff.android'],
  titles: ['Тинькофф', 'Т-Банк', 'Ваш Т-Банк'],
  parts: {
    from: '<счет RUB|[счет] карты {account}|карта {account}|счет {account}>',
    payer_or_text: '[<{person}[.]|{text}[.]>]',
    site: '[<Tinkoff.ru|www.tinkoff.ru>]',
  },
  templates: {
    credit: [
      'Пополнение [через СБП|по СБП] на {amount}[,][.] [{from}.] {payer_or_text} {left} {balance}[.]',
      'Пополнение [через СБП|по СБП|СБП]<,|.> {from}. {amount}[.] {payer_or_text} {left} {balance}[.]',
      'Popolnenie. Karta {account}. Summa {amount}[.] [{text}.] {time}. {left} {balance}[.] {site}',
      'Vyplata protsentov po vkladu {digits}. Protsenty v razmere {amount} zachisleny na kartu. [Summa vklada: {sum}] {site}',
      'Зачислили проценты на <вклад|счет|накопительный счет> - {amount}[:] [{link}]',
    ],
    debit: [
      'Перевод {amount} на карту {card}. {left} {balance}',

      '<Покупка|Перевод|Оплата [СБП]|Платеж|Снятие [наличных]><,|.> {from}. {amount}[.] [{text}] {left} {balance}[.]',
      '<Покупка|Перевод|Оплата [СБП]|Платеж|Снятие [наличных]> на {amount}, {from}[.] [{text}] {left} {balance}[.]',
      'Покупка на {amount}, кэшбэк {text}, {from} {left} {balance}',
      'Перевод {amount} выполнен',
      '<Perevod na kartu|Vnutrenniy perevod sebe|Perevod|Pokupka|Platezh|Oplata|Snyatie nalichnyh>. Karta {account}. Summa {amount}[.] [{text}.] {time}. {left} {balance}[.] {site}',
      'Выполнен регулярный платеж {text} на {amount}',
    ],
    reversal: ['<Возврат [СБП]|Отмена [{word}]><,|.> {from}. {amount}[.] [{text}] {left} {balance}[.]'],
    declined: ['Отказ[[.] {text}]. {from}. {text}'],
    other: [
      'Начислен кэшбэк {sum} Успей {text}',
      'Platezh {amount:bare} r. dolzhen postupit {text}',

      'Zavtra budet vypolnena regulyarnaya operatsiya: {text}, {amount} {site}',
      'Vypiska ot {moment} po karte {account}. {text} Balans na {moment}: {balance} {site}',
      'Одобрили кредитку. {text}',
      'Приведи друга и получи {text}',
      'Без комиссии для переводов {text}',
      'Вклад под {text}',
    ],
  },
}
