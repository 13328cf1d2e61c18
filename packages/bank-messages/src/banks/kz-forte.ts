import type { Bank } from '../bank.ts'

export const forte: Bank = {
  bank: 'forte',
  country: 'kz',
  currency: 'kzt',
  senders: 'unknown',
  parts: { end: '{time}, karta {account}, {left} {balance}' },
  templates: {
    credit: [
      'Postupilo {amount} na schet {account}, {left} {balance} {time}. [Platite kartoi {text}]',
      'Vnesenie nalichnih {amount} adres {text}, {end}',
    ],
    debit: ['<Pokupka|Snyatie nalichnih|Oplata> {amount} {text}, {end}'],
  },
}
