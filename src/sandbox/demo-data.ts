import { luhnDigit } from '../domain/account-number.ts'
import type { PaymentMethod } from '../domain/payment.ts'
import type { BankIssuer } from '../requisites/bank-issuers.ts'

/** Bank issuers of the demo: names and member numbers of the fast payment system are facts, no marks are shipped. */
const banks: readonly BankIssuer[] = [
  { code: 'sberbank', name: 'Сбербанк', country: 'RU', sbpMemberId: '100000000111' },
  { code: 't-bank', name: 'Т-Банк', country: 'RU', sbpMemberId: '100000000004' },
  { code: 'vtb', name: 'ВТБ', country: 'RU', sbpMemberId: '110000000005' },
  { code: 'alfa-bank', name: 'Альфа-Банк', country: 'RU', sbpMemberId: '100000000008' },
  { code: 'raiffeisen', name: 'Райффайзен Банк', country: 'RU', sbpMemberId: '100000000007' },
  { code: 'kaspi', name: 'Kaspi Bank', country: 'KZ', sbpMemberId: null },
  { code: 'halyk', name: 'Halyk Bank', country: 'KZ', sbpMemberId: null },
  { code: 'kapitalbank', name: 'Kapitalbank', country: 'UZ', sbpMemberId: null },
  { code: 'ipak-yuli', name: 'Ipak Yuli Bank', country: 'UZ', sbpMemberId: null },
]

/** A currency of the demo: limits in minor units, price scaled by 10^8, its banks, and how many requisites per method. */
type DemoCurrency = {
  readonly currency: string
  readonly min: bigint
  readonly max: bigint
  readonly price: bigint
  readonly banks: readonly string[]
  readonly perMethod: number
}

/** Three currencies, so that nothing is hard-wired to one. */
const currencies: readonly DemoCurrency[] = [
  {
    currency: 'rub',
    min: 100_00n,
    max: 300_000_00n,
    price: 92_50000000n,
    banks: ['sberbank', 't-bank', 'vtb', 'alfa-bank', 'raiffeisen'],
    perMethod: 1000,
  },
  {
    currency: 'kzt',
    min: 500_00n,
    max: 1_500_000_00n,
    price: 480_00000000n,
    banks: ['kaspi', 'halyk'],
    perMethod: 100,
  },
  {
    currency: 'uzs',
    min: 10_000_00n,
    max: 40_000_000_00n,
    price: 12_600_00000000n,
    banks: ['kapitalbank', 'ipak-yuli'],
    perMethod: 100,
  },
]

/** A made-up number of the right form for a method; `index` is unique over the demo. */
const number = (method: PaymentMethod, index: number): string => {
  const tail = String(index).padStart(7, '0')
  switch (method) {
    case 'card-to-card': {
      const body = `22000000${tail}`
      return body + luhnDigit(body)
    }
    case 'sbp':
      return `7999${tail}`
    case 'by-phone':
      return `99290${tail}`
    default:
      return `4081781000000${tail}`
  }
}

/** What a first start seeds: banks, currencies with their limits and prices, and numbers for requisites. */
export const demoData = { banks, currencies, number } as const
