import type { Bank } from '../bank.ts'

export const devoncredit: Bank = {
  bank: 'devoncredit',
  country: 'ru',
  currency: 'rub',
  senders: 'unknown',
  currencyWords: { r: 'rub' },
  templates: {
    credit: [
      '{account} Popolnenie [perevodom na kartu|perevodom] {amount} {left} {balance} [mib.devoncredit.ru] {time}',
    ],
    debit: ['{account} <Oplata|Pokupka|Perevod|Snyatie> {amount} {left} {balance} [{text}] {time}'],
  },
}
