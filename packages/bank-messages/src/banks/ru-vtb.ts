import type { Bank } from '../bank.ts'

export const vtb: Bank = {
  bank: 'vtb',
  country: 'ru',
  currency: 'rub',
  senders: ['VTB'],
  packages: ['ru.vtb24.mobilebanking.android'],
  titles: ['ВТБ Онлайн', 'ВТБ'],
  parts: {
    of: '<Счет|Карта|Schet|Karta> {account}',
    own: '[(<sobstv. sredstva:|v tom chisle kred.|v tom chisle kreditnie sredstva> {sum})]',
    site: '[.] [Uchet rashodov] [{link}]',
    booked: '<spisanie|oplata|snyatie|pokupka|perevod>',
  },
  templates: {
    other: [
      'VTB-Online: Obrabotano rasporyazhenie {text}',
      'Napominaem, {moment} predstoit spisanie platezha po Vashemu kreditu v razmere {amount} {text}',
    ],
    credit: [
      '<Зарплата|Аванс|Пенсия> {amount} {of} {left} {balance} {time}',
      '{of} <Popolnenie|Postuplenie>, {amount} {time} {left} {balance}',

      '<Поступление|Зачисление> {amount:bare} {of} [от {name}] {left} {balance} {time}',
      '<Поступление|Зачисление> {amount} {of} [{text}] {left} {balance} {time}',
      'VTB. <Зачисление|Поступление> {amount} {of}[.]',
      '<Postuplenie|Zachislenie> {amount} {of} [ot <{name}|{payer}>] {left} {balance} {time} [{link}]',
      '{of}: postuplenie {amount}; [perevod|zachislenie] {time}; {left} {balance} {own}{site}',
      '{of}: uvelichen balans scheta na {amount}; {left} {balance} {own}{site}',
      'Uvelichen balans scheta {amount} {of} {left} {balance}',
      '{of}: {time} postuplenie [zarabotnoy plati|perevoda] {amount}[.] {left} {balance}[.] [Vipiska po karte v VTB24-Online {link}]',
    ],
    debit: [
      '<Списание|Списано|Оплата|Снятие|Перевод|Покупка> {amount} {of} [{text}] {left} {balance} {time}',
      '<Spisanie|Spisano|Oplata|Snyatie|Perevod|Pokupka> {amount} {of} [{text}] {left} {balance} {time} [{link}]',
      '{of}: {booked} {amount};[{text};] {time}<;|,> {left} {balance} {own}{site}',
    ],
    declined: [
      '{of}: {booked} <otklonena|otkloneno|otklonen> [({text})] {amount}; {text}; {time}<;|,> {left} {balance} {own}{site}',
    ],
  },
}
