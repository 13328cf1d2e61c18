import type { Bank } from '../bank.ts'

export const tbank: Bank = {
  bank: 'tbank',
  country: 'ru',
  currency: 'rub',
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
      'Пополнение на {amount}[,][.] [{from}.] {payer_or_text} Доступно {balance}[.]',
      'Пополнение<,|.> {from}. {amount}[.] {payer_or_text} <Доступно|Баланс> {balance}[.]',
      'Popolnenie. Karta {account}. Summa {amount}[.] [{text}.] {time}. Dostupno {balance}[.] {site}',
      'Vyplata protsentov po vkladu {digits}. Protsenty v razmere {amount} zachisleny na kartu. [Summa vklada: {sum}] {site}',
      'Зачислили проценты на <вклад|счет|накопительный счет> - {amount}[:] [{link}]',
    ],
    debit: [
      'Перевод {amount} на карту {card}. <Остаток|Доступно|Баланс>: {balance}',

      '<Покупка|Перевод|Оплата [СБП]|Платеж|Снятие [наличных]><,|.> {from}. {amount}[.] [{text}] <Доступно|Баланс> {balance}[.]',
      '<Покупка|Перевод|Оплата [СБП]|Платеж|Снятие [наличных]> на {amount}, {from}[.] [{text}] <Доступно|Баланс> {balance}[.]',
      'Покупка на {amount}, кэшбэк {text}, {from} Доступно {balance}',
      'Перевод {amount} выполнен',
      '<Perevod na kartu|Vnutrenniy perevod sebe|Perevod|Pokupka|Platezh|Oplata|Snyatie nalichnyh>. Karta {account}. Summa {amount}[.] [{text}.] {time}. Dostupno {balance}[.] {site}',
      'Выполнен регулярный платеж {text} на {amount}',
    ],
    reversal: ['<Возврат [СБП]|Отмена [{word}]><,|.> {from}. {amount}[.] [{text}] <Доступно|Баланс> {balance}[.]'],
    declined: ['Отказ {text}. {from}. {text}'],
    other: [
      'Начислен кэшбэк {sum} Успей {text}',
      'Platezh {groupedAmount:bare} r. dolzhen postupit {text}',

      'Zavtra budet vypolnena regulyarnaya operatsiya: {text}, {amount} {site}',
      'Vypiska ot {moment} po karte {account}. {text} Balans na {moment}: {balance} {site}',
      'Одобрили кредитку. {text}',
      'Приведи друга и получи {text}',
      'Без комиссии для переводов {text}',
      'Вклад под {text}',
    ],
  },
}
