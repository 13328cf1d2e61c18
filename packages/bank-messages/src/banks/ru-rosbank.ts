import type { Bank } from '../bank.ts'

export const rosbank: Bank = {
  bank: 'rosbank',
  country: 'ru',
  currency: 'rub',
  senders: ['ROSBANK'],
  packages: ['ru.rosbank.android'],
  titles: ['ROSBANK Online', 'ROSBANK'],
  parts: { of: '<Счет|Schet|Карта|Karta> {account}', more: '[.] [Подробнее {link}]' },
  templates: {
    credit: [
      '{of}. Перевод СБП из {bank} от {person} успешный. Зачислено {amount} {left} {balance}',
      '{of}: <Popolnenie|Пополнение|Zachislenie|Зачисление> {amount}; {left} {balance}; {time}{more}',
      '{of}: {text} vnesena summa {amount:bare} (<RUR|RUB>). Zachisleno {amount:bare} (<RUR|RUB>). {left} {balance:bare}; {time}',
    ],
    debit: [
      'S karty {account} perevedeno {sum} {text} Spisano {amount} {left} {balance} {time}',
      '{of}: <Списание|Spisanie|Покупка|Pokupka> {amount}; {left} {balance}; {time}{more}',
    ],
    reversal: ['{of}.Operacija rezervirovanija {text} ot {moment} na summu {amount} otmenena. {time}[.]'],
  },
}
