import type { Bank } from '../bank.ts'

export const cifra: Bank = {
  bank: 'cifra',
  country: 'ru',
  currency: 'rub',
  senders: 'unknown',
  templates: {
    credit: [
      'СБП. Получен перевод {time}. Счет {account}. Зачислено {amount} от {person:open} {left} {balance} [{sum} [{sum}]]',
      'Карта {account}: {time}, <пополнение|зачисление> {amount}, {text}. {left} {balance} [{sum} [{sum}]]',
    ],
    debit: [
      '{time}. Счет <{account}|****>. Перевод [через СБП] на сумму {amount} в {text} успешно завершен. Получатель: {text}',
    ],
  },
}
