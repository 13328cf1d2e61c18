import { currencyDecimals, formatDecimal, parseDecimal, withoutNoise } from '../values/currency.ts'
import { maskNumber } from '../values/masking.ts'
import type { Requisite } from '../requisites/requisite.ts'
import { bookedInstant, type StatementBalance, type StatementRow } from 'bank-files/pure'
import type { StatementAccount } from './statement-import.ts'

const noSums = { credits: 0n, debits: 0n, creditRows: 0, debitRows: 0 }
type Sums = Readonly<typeof noSums>

const parse = (text: string, currency: string): ReturnType<typeof parseDecimal> =>
  parseDecimal(withoutNoise(text, currencyDecimals(currency)), currencyDecimals(currency))

const minorOf = (text: string | null, currency: string): bigint | null => {
  const value = text === null ? null : parse(text, currency)
  return typeof value === 'bigint' ? value : null
}

const sumWords = [
  ['opening', 'opening balance'],
  ['closing', 'closing balance'],
  ['credits', 'sum of its credits'],
  ['debits', 'sum of its debits'],
] as const

/** Which sum of a balance is not an amount of the currency; `undefined` if all are. */
const findUnreadable = (balance: StatementBalance, currency: string): string | undefined => {
  for (const [name, word] of sumWords) {
    const text = balance[name]
    const value = text === null ? null : parse(text, currency)
    if (typeof value === 'string')
      return `The file says that the ${word} is ${text}, which is ${value === 'precision' ? `more exact than ${currency} allows` : 'too large'}: export the file again, or ask the bank for a corrected one.`
  }
  return undefined
}

const incomplete = 'Rows may be missing: get the file from the bank again.'

/** Why rows with these sums contradict a balance; `undefined` if they agree. */
const findContradiction = (balance: StatementBalance, sums: Sums, currency: string): string | undefined => {
  const unreadable = findUnreadable(balance, currency)
  if (unreadable !== undefined) return unreadable
  const show = (minor: bigint): string => formatDecimal(minor, currencyDecimals(currency))
  for (const word of ['credits', 'debits'] as const) {
    const sum = minorOf(balance[word], currency)
    if (sum !== null && sum !== sums[word])
      return `The file says that its ${word} add up to ${show(sum)}, but its rows add up to ${show(sums[word])}. ${incomplete}`
  }
  const [opening, closing] = [minorOf(balance.opening, currency), minorOf(balance.closing, currency)]
  if (opening === null || closing === null) return undefined
  const due = opening + sums.credits - sums.debits
  if (due === closing) return undefined
  const sum = `${show(opening)} + ${show(sums.credits)} − ${show(sums.debits)} = ${show(due)}`
  return `The balances do not add up: opening + credits − debits is ${sum}, but the closing balance is ${show(closing)}. ${incomplete}`
}

/** Adds up the rows of a file by account, and compares them with its balances. */
export class AccountTotals {
  /** Sums since the last balance, by the account as the file writes it. */
  readonly #sums = new Map<string, Sums>()
  readonly #accounts = new Map<string, StatementAccount>()
  readonly #names = new Map<string, string | null>()

  get accounts(): readonly StatementAccount[] {
    return [...this.#accounts.values()]
  }

  /** The accounts as the file writes them, in the order of `accounts`; null where it does not name one. */
  get names(): readonly (string | null)[] {
    return [...this.#names.values()]
  }

  addRow({ account, direction }: StatementRow, amount: bigint): void {
    const sums = this.#sums.get(account ?? '') ?? noSums
    this.#sums.set(
      account ?? '',
      direction === 'credit'
        ? { ...sums, credits: sums.credits + amount, creditRows: sums.creditRows + 1 }
        : { ...sums, debits: sums.debits + amount, debitRows: sums.debitRows + 1 },
    )
  }

  /** Closes the rows that belong to a balance; returns why they contradict it, `undefined` if they agree. */
  addBalance(balance: StatementBalance, { id: requisiteId, currency, numberMasked }: Requisite): string | undefined {
    const { account, closedOn = null } = balance
    const sums = this.#sums.get(account ?? '') ?? noSums
    this.#sums.delete(account ?? '')
    const key = `${requisiteId} ${account}`
    const before = this.#accounts.get(key)
    const [opening, closing] = [minorOf(balance.opening, currency), minorOf(balance.closing, currency)]
    const isDay = closing !== null && closedOn !== null && bookedInstant(closedOn, 0) !== undefined
    this.#names.set(key, account)
    this.#accounts.set(key, {
      requisiteId,
      currency,
      number: account === null ? numberMasked : maskNumber(account),
      opening: before?.opening ?? opening?.toString() ?? null,
      closing: closing?.toString() ?? before?.closing ?? null,
      credits: (BigInt(before?.credits ?? 0) + sums.credits).toString(),
      debits: (BigInt(before?.debits ?? 0) + sums.debits).toString(),
      creditRows: (before?.creditRows ?? 0) + sums.creditRows,
      debitRows: (before?.debitRows ?? 0) + sums.debitRows,
      closings: [
        ...(before?.closings ?? []).filter(({ day }) => day !== closedOn),
        ...(isDay ? [{ day: closedOn, balance: closing.toString() }] : []),
      ],
    })
    return findContradiction(balance, sums, currency)
  }
}
