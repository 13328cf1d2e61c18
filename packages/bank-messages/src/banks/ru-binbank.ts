import type { Bank } from '../bank.ts'

export const binbank: Bank = {
  bank: 'binbank',
  country: 'ru',
  currency: 'rub',
  senders: 'unknown',
  parts: { site: '[.] [i.binbank.ru][.]' },
  templates: {
    credit: [
      'Пополнение карты {account}: {text} {amount} {time}. {left} {balance}{site}',
      'Postuplenie {account}; Uspeshno; Summa: {amount}; {left} {balance}; {text}; {time}',
    ],
    debit: ['Perevod s karty {account} na <schet|kartu> {amount} {time}. {left} {balance}{site}'],
    declined: [
      'Nedostatochno sredstv dlya operatsii po karte {account} {text} {amount} {time}. {left} {balance}{site}',
    ],
  },
}
