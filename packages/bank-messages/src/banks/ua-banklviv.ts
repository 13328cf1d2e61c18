import type { Bank } from '../bank.ts'

export const bankLviv: Bank = {
  bank: 'banklviv',
  country: 'ua',
  currency: 'uah',
  senders: ['BankLviv'],
  templates: {
    hold: [
      'KOD DOSTUPU {reference},KARTA{account} {time} BLOKUVANNYA {amount} [*]ZALISHOK {balance},OVER {sum} Z YAKYKH VIKORISTANO {sum}',
    ],
  },
}
