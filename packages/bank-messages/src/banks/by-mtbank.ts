import type { Bank } from '../bank.ts'

export const mtbank: Bank = {
  bank: 'mtbank',
  country: 'by',
  currency: 'byn',
  senders: 'unknown',
  parts: { begin: 'KARTA[:] {account} {time}', end: '{amount} {text} {left} {balance} Spr.:{digits}' },
  templates: {
    credit: [
      'Uvazhaemyj klient! Na Vash schet BY{digits}{word}{account} postupilo {amount} Vash MTBank!',
      '{begin} ZACHISLENIE [PEREVOD] {end}',
    ],
    debit: ['{begin} <SPISANIE [PEREVOD]|OPLATA|NALICHNYE> {end}'],
    // It does not say which way the money went.
    other: ['{begin} PEREVOD {end}'],
  },
}
