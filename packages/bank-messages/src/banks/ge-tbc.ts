import type { Bank } from '../bank.ts'

export const tbc: Bank = {
  bank: 'tbc',
  country: 'ge',
  currency: 'gel',
  senders: ['TBC SMS'],
  parts: { of: '{text} ({account})' },
  templates: {
    credit: ['Charicxva: {amount} Current {time} [{name} [{garbage}]]'],
    debit: [
      'Sesxis daparva: {amount} {text} Angarishidan: {text} Sesxis nashti: {sum} {time}',

      'საკუთარ ანგარიშებზე გადარიცხვა: {amount} {time}',
      '{amount} {of} {text} {time} ნაშთი: {balance} [დაგიბრუნდა {sum} ერთგულ ყულაბაში გაქვს: {sum}]',
    ],
    reversal: ['უკუგატარება: {amount} {of} {text} {time} ნაშთი: {balance}'],
    declined: ["Sabarate operacia {amount} uarkofilia. mizezi: {text}. {text} ({account}[']) {time} {text}"],
  },
}
