import type { Bank } from '../bank.ts'

export const raiffeisen: Bank = {
  bank: 'raiffeisen',
  country: 'ru',
  currency: 'rub',
  senders: ['Raiffeisen'],
  packages: ['ru.raiffeisennews'],
  titles: ['Raiffeisen', 'Райффайзенбанк', 'Райффайзен'],
  parts: {
    of: '<карту|карте|карта|счет|счете|счета>',
    end: '[.] [Raiffeisenbank]',
    now: 'Теперь на {of} {balance}',
  },
  templates: {
    credit: [
      '+{amount}[.] Пополнение по СБП. {left} {balance}',
      'Karta {account}. Zachisleno {amount} [{text}.] {left} {balance} {time}',

      'Пришел перевод на {of} {account} + {amount} [и сообщение "{comment}"] от [{phone},] {person:open} через СБП. {now}',
      'Пополнили {of} {account} + {amount}[.] {now}',
      'Schet {account}. Zachislen perevod {amount} [{left} {balance}]',
      'Schet {account}. Platezh s nomera {phone}. Summa {amount} [{left} {balance}]',
      'Zachislen perevod {amount} na schet {account}. {left} {balance}{end}',
      'Balans vashey karty {account} popolnilsya {time} na {amount} Dostupny {left} {balance}{end}',
      'Zachislenie summy {amount} s deposita na schet {account}. {left} {balance}{end}',
    ],
    debit: [
      '<Заплатили картой|Перевели с карты|Сняли с карты> {account} - {amount} [{text}] {now}',
      'Spisan perevod {amount} so scheta {account}. {left} {balance}{end}',
      'Karta {account}. <Spisano|Snyatie nalichnyh|Pokupka|Oplata> {amount} {text}. {left} {balance} {time}',
      'Karta {account}; <Pokupka|Oplata|Snyatie nalichnyh>: {amount}; {text}; Data: {time}; Dostupny {left} {balance}{end}',
    ],
    declined: ['Karta {account}; Otkaz: {text}; Summa: {amount}; Data: {time}; {text}. Dostupny {left} {balance}{end}'],
    reversal: ['Otmenena blokirovka sredstv po Vashey karte {account} na summu {amount} po operacii: {text}'],
  },
}
