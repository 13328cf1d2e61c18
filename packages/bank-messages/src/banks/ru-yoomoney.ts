import type { Bank } from '../bank.ts'

export const yoomoney: Bank = {
  bank: 'yoomoney',
  country: 'ru',
  currency: 'rub',
  senders: ['YandexMoney'],
  parts: { purse: '<Яндекс.Деньги|ЮMoney><.|,> Кошелек {account}' },
  templates: {
    other: ['Яндекс.Деньги: новый штраф ГИБДД на {amount} {text}'],
    credit: ['{purse} пополнен на {amount} {left} {balance}'],
    debit: ['{purse} Вы <заплатили|перевели> {amount} {left} {balance}'],
  },
}
