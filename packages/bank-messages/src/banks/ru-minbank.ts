import type { Bank } from '../bank.ts'

export const minbank: Bank = {
  bank: 'minbank',
  country: 'ru',
  currency: 'rub',
  senders: ['MInB'],
  parts: {
    end: '<Data|Дата>: {time} [<Karta|Карта>: {account}] <Summa|Сумма>: {amount} <Komissiia|Комиссия>: {fee} {left} {balance}',
    terminal: '[<Terminal|Терминал>: {text}]',
  },
  templates: {
    credit: [
      '<Зачисление на счет {account}|Postuplenie na kartu|Поступление на карту> {end} [Кредит: {sum}] {terminal}',
    ],
    debit: [
      'Перевод через Телебанк на карту {card} Дата: {time} Ид.клиента: {card} Сумма: {amount} Комиссия: {fee} {left} {balance} {terminal}',
      '<Perevod cherez POS-terminal na kartu|Pokupka|Oplata|Snyatie nalichnyh> {end} {terminal}',
    ],
    hold: ['Predavtorizaciia {end} {terminal}'],
  },
}
