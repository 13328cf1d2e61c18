import type { Bank } from '../bank.ts'

export const halyk: Bank = {
  bank: 'halyk',
  country: 'kz',
  currency: 'kzt',
  senders: 'unknown',
  parts: {
    product: '<VISA|MC|MASTERCARD|MAESTRO>{account}',
    available: 'Kartadaghy kolzhetimdi soma/Dostupnaya summa po karte: {balance:bare}',
  },
  templates: {
    reversal: ['{time} Otmena operacii {amount} {text} {account} Dostupnaya summa:{balance:bare}'],
    credit: [
      '{time} <Popolnenie|Zachislenie> {amount} {account} <Dostupnaya summa:|Ostatok> {balance:bare}',
      '{time} Пополнение [в терминале]: {amount}, карта {account}. {left} {balance}',
      '{product} Esepke alu/Zachislenie. {amount}; {text}; {time}. {available}',
    ],
    debit: [
      '{time} Operaciya po karte <Pokupka|Vydacha nalichnyh|Perevod> {amount} {text} {account} Dostupnaya summa:{balance:bare}',
      '{product} <Audarym zhoneltildi/otpravlen perevod|Kolma-kol aksha beru/Vydacha nalichnyh>. {amount}; {text}; {time}. {available}',
    ],
  },
}
