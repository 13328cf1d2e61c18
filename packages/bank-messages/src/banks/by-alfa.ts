import type { Bank } from '../bank.ts'

export const alfaBy: Bank = {
  bank: 'alfa-by',
  country: 'by',
  currency: 'byn',
  senders: 'unknown',
  parts: {
    begin: 'Karta {digits}.{account}',
    end: 'Uspeshno Summa:{amount} {left} {balance} Na vremya:{moment} {text} {time}',
  },
  templates: {
    credit: ['{begin} Perevod (Postuplenie) {end}'],
    debit: ['{begin} <Perevod (Spisanie)|Oplata|Nalichnye> {end}'],
  },
}
