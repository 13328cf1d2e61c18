import type { Bank } from '../bank.ts'

export const belarusbank: Bank = {
  bank: 'belarusbank',
  country: 'by',
  currency: 'byn',
  senders: 'unknown',
  parts: { end: '{amount} KARTA {account} [DATA {time} [{text}]] [{left} {balance}]' },
  templates: {
    credit: ['<ZACHISLENIE|CREDIT> {end}'],
    debit: ['<OPLATA|NALICHNYE|PEREVOD|SPISANIE> {end}'],
    reversal: ['OTMENA [{word}] {end}'],
  },
}
