import type { BankGuide } from '../../rules/payments/bank-guide.ts'
import type { NewBankIssuer } from '../requisites/bank-issuers.ts'

const russian = (
  code: string,
  name: string,
  sbpMemberId: string,
  bic: string,
  correspondentAccount: string,
  rank: number,
  aliases: readonly string[],
): NewBankIssuer => ({ code, name, country: 'RU', sbpMemberId, bic, correspondentAccount, rank, aliases })

const foreign = (code: string, name: string, country: string): NewBankIssuer => ({
  code,
  name,
  country,
  sbpMemberId: null,
})

/** Bank issuers of the demo: names and numbers of the payment systems are facts; no trademarks are shipped. */
const banks: readonly NewBankIssuer[] = [
  russian('sberbank', 'Сбербанк', '100000000111', '044525225', '30101810400000000225', 1, ['Sberbank', 'Сбер', 'Sber']),
  russian('t-bank', 'Т-Банк', '100000000004', '044525974', '30101810145250000974', 2, [
    'T-Bank',
    'Тинькофф',
    'Tinkoff',
  ]),
  russian('vtb', 'ВТБ', '110000000005', '044525187', '30101810700000000187', 3, ['VTB']),
  russian('alfa-bank', 'Альфа-Банк', '100000000008', '044525593', '30101810200000000593', 4, ['Alfa-Bank']),
  russian('raiffeisen', 'Райффайзен Банк', '100000000007', '044525700', '30101810200000000700', 5, [
    'Raiffeisen Bank',
    'Райф',
  ]),
  foreign('kaspi', 'Kaspi Bank', 'KZ'),
  foreign('halyk', 'Halyk Bank', 'KZ'),
  foreign('kapitalbank', 'Kapitalbank', 'UZ'),
  foreign('ipak-yuli', 'Ipak Yuli Bank', 'UZ'),
  foreign('alif', 'Alif Bank', 'TJ'),
  foreign('dushanbe-city', 'Dushanbe City Bank', 'TJ'),
]

const steps = (ru: string, en: string): Record<'ru' | 'en', string[]> => ({
  ru: [ru, 'Вставьте номер и сумму, проверьте имя получателя.', 'Подтвердите перевод и вернитесь сюда.'],
  en: [en, 'Paste the number and the amount, check the recipient’s name.', 'Confirm and come back here.'],
})

const guide = (bank: string): BankGuide => ({
  // An address that belongs to nobody (RFC 2606): the demo's numbers are made up, and must not open a real bank.
  links: { sbp: `https://${bank}.example/transfer?phone={number}&amount={amount}` },
  steps: {
    sbp: steps('Откройте «Платежи» → «По номеру телефона».', 'Open “Payments” → “By phone number”.'),
    'card-to-card': steps('Откройте «Платежи» → «По номеру карты».', 'Open “Payments” → “By card number”.'),
  },
})

/** Guides for two banks, as an example of what an operator writes. */
const guides = ['sberbank', 't-bank'].map((code) => ({ code, guide: guide(code) }))

/**
 * Three currencies, so that nothing is hard-wired to one: limits in minor units, prices scaled by 10^8. A requisite
 * holds an amount once, until its slot is free; a thousand more add about 0.15 s to the first start.
 */
const currencies = [
  {
    currency: 'rub',
    min: 100_00n,
    max: 300_000_00n,
    price: 92_50000000n,
    banks: ['sberbank', 't-bank', 'vtb', 'alfa-bank', 'raiffeisen'],
    perMethod: 300,
  },
  {
    currency: 'kzt',
    min: 500_00n,
    max: 1_500_000_00n,
    price: 480_00000000n,
    banks: ['kaspi', 'halyk'],
    perMethod: 50,
  },
  {
    currency: 'uzs',
    min: 10_000_00n,
    max: 40_000_000_00n,
    price: 12_600_00000000n,
    banks: ['kapitalbank', 'ipak-yuli'],
    perMethod: 50,
  },
]

/** Foreign banks to which roubles are sent by phone number. */
const banksAbroad = ['kapitalbank', 'ipak-yuli', 'alif', 'dushanbe-city', 'kaspi', 'halyk'] as const

/** Prefixes of mobile numbers in the demo's countries; seven digits follow. */
const phonePrefixes: Readonly<Record<string, string>> = { RU: '7999', KZ: '7701', TJ: '99290', UZ: '99890' }

/** Recipients of the demo: made-up people, written as in a bank. */
const people = ['Петрова Анна Сергеевна', 'Соколов Иван Андреевич', 'Каримова Зарина Тимуровна', 'Ким Роман Олегович']

/** An organisation of the demo: its numbers are made up, with correct check digits. */
const company = {
  holder: 'ООО «Пример»',
  recipient: { inn: '1234567894', kpp: '770001001' },
} as const

export const demoData = { banks, banksAbroad, phonePrefixes, people, company, guides, currencies } as const
