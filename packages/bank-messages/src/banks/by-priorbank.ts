import type { Bank } from '../bank.ts'

export const priorbank: Bank = {
  bank: 'priorbank',
  country: 'by',
  currency: 'byn',
  senders: ['Priorbank'],
  parts: {
    begin: '[Priorbank.] Karta {account}[.] {time}.',
    end: '{amount} {text}. {left} {balance} [<Spravka:|Tel.> {digits}]',
  },
  templates: {
    credit: [
      '{begin} <Zachislenie perevoda|Zachislenie|Popolnenie> {end}',
      'Priorbank {time}. Na vashu kartu zachisleno {amount} Dostupnaja summa: {balance} Spravka: {digits}',
    ],
    debit: ['{begin} <Perevod|Oplata|Nalichnye|Spisanie> {end}'],
    declined: ['{begin} Prevyshen limit {text}'],
  },
}
