import type { Bank } from '../bank.ts'

export const gazprombank: Bank = {
  bank: 'gazprombank',
  country: 'ru',
  currency: 'rub',
  senders: ['Gazprombank', 'Telecard'],
  packages: ['ru.gazprombank.android.mobilebank.app'],
  titles: ['Газпромбанк', 'GPB', 'ГПБ'],
  parts: {
    end: '[{text}] [{time}] [{left} {balance}]',
    telecard: 'Telecard; Card{account};',
    ends: 'Summa {amount}; {time}; {text}; {left} {balance}',
  },
  templates: {
    credit: [
      'Telecard; Card{account}; [{text};] {time}; Zachislenie; {amount}; {left} {balance}',

      '{account} [{time}] <Зачисление|Пополнение|Получен перевод> [кэшбэк|перевода|СБП|зарплаты] {amount} {end}',
      '{account} [{time}] +{amount} {end}',
      '<ГПБ:|GPB.> зачислено {amount} на <счёт|карту> {account}[.] [{left} {balance}]',
      'Пополнение на {amount}, счет RUB. [<{person}|{text}>[.]] {left} {balance}',
    ],
    debit: [
      '{account} [{time}] <-|Перевод|Оплата|Покупка|Наличные|Снятие|Списание> {amount} [Комиссия {fee}] {end}',
      '<ГПБ:|GPB.> Операция по карте {account}. <Списание|Покупка|Оплата> {amount} [{text}] {left} {balance}',
      '{telecard} <Oplata|Pokupka|Snyatie|Perevod>; {ends}',
    ],
    hold: ['{account} [{time}] Предавторизация {amount} {end}', '{telecard} Predauth; {ends}'],
    reversal: ['{account} [{time}] <Отмена|Возврат> [{word}] {amount} {end}', '{telecard} OTMENA; [{word};] {ends}'],
    declined: ['{account} [{time}] Отказ[.] {text} [{time}]'],
    other: ['{account} [{time}] Запрос баланса [{text}] [{time}] {left} {balance}'],
  },
}
