import { type Setting, wholeQuote } from './setting-kinds.ts'

/** The settings of decisions about money, a part of the list in config.ts. */
export const moneySettings = {
  secondPersonAbove: {
    name: 'PAYIN_SECOND_PERSON_ABOVE',
    group: 'Money',
    kind: wholeQuote(0, 999_999_999),
    default: '1000',
    doc: 'USDT above which a settlement, alone or with others of its author for the merchant within 24 hours, is approved by another operator; 0: always.',
  },
} as const satisfies Record<string, Setting>
