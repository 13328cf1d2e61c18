import type { Bank } from '../bank.ts'

export const alfa: Bank = {
  bank: 'alfa',
  country: 'ru',
  currency: 'rub',
  senders: ['Alfa-Bank'],
  packages: ['ru.alfabank.mobile.android'],
  titles: ['Уведомление', 'Альфа-Банк'],
  parts: { details: '[;] [Podrobnosti v mobilnom banke {link}]' },
  templates: {
    credit: [
      'Поступление {amount} по СБП от {person}',

      'Перевод на сумму {amount} из {bank} от {person} по СБП[.]',
      '+{amount}[.] <Поступление|Пополнение|Зачисление|Перевод от {name}>[.] {left} {balance}; {account}',
      '+{amount}[.] СБП. Пополнение по номеру телефона. {left} {balance}',
      '<Popolnenie|Postuplenie|Postupleniye> {account} na {amount} {left} {balance} {time}',
      '{account}[;] <Postupleniye|Postuplenie|Popolnenie|Zachislenie>[;] [Uspeshno[;]] Summa: {amount}[;] {left} {balance}[;] {time}{details}',
    ],
    debit: [
      '-{amount}[.] Перевод проведен Перевод {sum} со счета {account} на счет {card} проведен успешно',
      '-{amount}[.] Списание со счета {account}; Сумма: {sum}; Получатель платежа {text}; {time}',
      '-{amount}[.] {text} {left} {balance}; {account}',
      'Spisanie so scheta {account} na summu {amount}, poluchatel platezha {text}; {time}',
      '{account}[;] <Pokupka|Vydacha nalichnyh|Oplata|Spisanie|Perevod>[;] Uspeshno[;] Summa: {amount}[;] {left} {balance}[;] {text}[;] {time}{details}',
    ],
    reversal: ['Uspeshnaja otmena operacii: {account}; Summa: {amount}; {text}; {time}[.] [Alfa-bank.]'],
    other: [
      'Vam vistavlen schet na summu {amount} ot {text}. Podtverdite {text}',
      'Вам отказано по заявке {text}',
      'Платеж по кредиту {moment}, сумма {amount} {text}',
    ],
  },
}
