import type { Bank } from '../bank.ts'

export const crediteurope: Bank = {
  bank: 'crediteurope',
  country: 'ru',
  currency: 'rub',
  senders: 'unknown',
  templates: {
    credit: ['Na kartu [{word}] {account} postupilo {amount} {time} Dostupniy limit: {balance}'],
    declined: ['V nastoyaschiy moment operaciya na {amount} {account} ne mojet byt vypolnena. {text}'],
  },
}
