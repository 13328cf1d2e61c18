import { formatDecimal } from '../amount.ts'
import { present, tidyText } from '../texts.ts'
import type { StatementRow } from '../statement.ts'
import { allTexts, type Element, find, textOf } from './element-reader.ts'

/** What identifies a row, and which of the numbers of camt it is. */
export type Reference = { readonly reference: string; readonly referenceKind: 'entry' | 'detail' | 'uetr' | 'part' }

type Party = {
  readonly name: string | null
  readonly phone: string | null
  readonly account: string | null
  readonly bank: readonly string[]
}

/** In units of ten decimals; `null` if it cannot be read. */
type Money = { readonly scaled: bigint | null; readonly currency: string | null }

/** One payment of an entry (`TxDtls`). */
export type Payment = Pick<StatementRow, 'number' | 'text'> & {
  /** What it may have added to the entry, the likeliest first. */
  readonly amounts: readonly Money[]
  /** What banks have deducted from it; below zero if they have added it. */
  readonly charges: readonly Money[]
  /** Its own references, the bank's first. */
  readonly references: readonly Reference[]
  readonly debtor: Party
  readonly creditor: Party
}

const remittanceNames = new Set(['Ustrd', 'Ref', 'AddtlRmtInf', 'RfrdDocNb', 'Nb'])

/** A decimal number of XML (xs:decimal), which must have no minus here; an amount has up to ten decimals. */
const amountPattern = /^\+?0*(?:(\d{1,18})(?:\.(\d{0,10}))?|\.(\d{1,10}))$/
/** The same with more decimals: banks that compute with floating-point numbers write their noise, too. */
const balancePattern = /^\+?0*(?:(\d{1,18})(?:\.(\d{0,30}))?|\.(\d{1,30}))$/

/** The amount of an element as plain decimal text; `null` if it is none. */
export const readAmount = (element: Element | undefined, pattern = amountPattern): string | null => {
  const match = pattern.exec(tidyText(element?.text) ?? '')
  if (!match) return null
  const [, whole = '0', fraction = match[3] ?? ''] = match
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** The amount of a balance as plain decimal text, perhaps with noise; `null` if it is none. */
export const readBalanceAmount = (element: Element | undefined): string | null => readAmount(element, balancePattern)

/** Why the amount of an entry or a balance cannot be read. */
export const notAmount = (name: string, element: Element | undefined): string => {
  const text = tidyText(element?.text)
  if (text === null)
    return `The ${name} has no amount (Amt): export the file again, or ask the bank for a corrected one.`
  return `The amount of the ${name} (Amt) is not a number with a point and without a minus: "${text.slice(0, 40)}". Export the file again, or ask the bank for a corrected one.`
}

const toScaled = (amount: string): bigint => {
  const [whole = '', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(10, '0'))
}
const fromScaled = (scaled: bigint): string =>
  formatDecimal(scaled, 10)
    .replace(/(?<!0)0+$/, '')
    .replace(/\.$/, '')

// What banks write if there is no reference.
const noReference = /^(?:NOTPROVIDED|NOT PROVIDED|NONREF|NOREF|-+|0+)$/i

/** A reference of an element; `null` if it has none. */
export const referenceOf = (element: Element | undefined, name: string): string | null => {
  const text = textOf(element, name)
  return text === null || noReference.test(text) ? null : text
}

const ownReferences = (element: Element | undefined): Reference[] => {
  const detail = referenceOf(element, 'AcctSvcrRef')
  const uetr = referenceOf(element, 'UETR')
  return [
    ...(detail === null ? [] : [{ reference: detail, referenceKind: 'detail' } as const]),
    ...(uetr === null || uetr === detail ? [] : [{ reference: uetr, referenceKind: 'uetr' } as const]),
  ]
}

/** The number of an account (`Id`); `PrtryAcct`, `BBAN` and `UPIC` are of version 1. */
export const accountOf = (id: Element | undefined): string | null =>
  textOf(id, 'IBAN') ??
  textOf(id, 'Othr', 'Id') ??
  textOf(id, 'PrtryAcct', 'Id') ??
  textOf(id, 'BBAN') ??
  textOf(id, 'UPIC')

/** One side of a payment, by the prefix of its elements' names. */
const readParty = (payment: Element, side: 'Dbtr' | 'Cdtr'): Party => {
  const parties = find(payment, 'RltdPties')
  const party = find(parties, side, 'Pty') ?? find(parties, side)
  const ultimate = find(parties, `Ultmt${side}`, 'Pty') ?? find(parties, `Ultmt${side}`)
  const account = find(parties, `${side}Acct`)
  const bank = find(payment, 'RltdAgts', `${side}Agt`, 'FinInstnId')
  return {
    name: textOf(party, 'Nm') ?? textOf(ultimate, 'Nm') ?? textOf(account, 'Nm'),
    phone: textOf(party, 'CtctDtls', 'MobNb') ?? textOf(party, 'CtctDtls', 'PhneNb'),
    account: accountOf(find(account, 'Id')),
    bank: present(
      textOf(bank, 'ClrSysMmbId', 'MmbId'),
      textOf(bank, 'BICFI') ?? textOf(bank, 'BIC'),
      textOf(bank, 'Nm'),
    ),
  }
}

const readMoney = (element: Element | undefined): Money[] => {
  if (!element) return []
  const amount = readAmount(element)
  return [{ scaled: amount === null ? null : toScaled(amount), currency: element.currency }]
}

const all = (element: Element | undefined, name: string): Element[] =>
  element?.children.filter((child) => child.name === name) ?? []

/** The charges of a payment: their sum, or each of them. Version 2 has an element for each. */
const readCharges = (payment: Element): Money[] =>
  all(payment, 'Chrgs').flatMap((charges) => {
    const total = readMoney(find(charges, 'TtlChrgsAndTaxAmt'))
    if (total.length > 0) return total
    return [charges, ...all(charges, 'Rcrd')].flatMap((charge) => {
      const isAdded = textOf(charge, 'CdtDbtInd') === 'CRDT'
      return readMoney(find(charge, 'Amt')).map(({ scaled, currency }) => ({
        scaled: scaled !== null && isAdded ? -scaled : scaled,
        currency,
      }))
    })
  })

/** Reads one payment. */
export const readPayment = (element: Element): Payment => {
  const details = find(element, 'AmtDtls')
  const amounts = [find(element, 'Amt'), find(details, 'TxAmt', 'Amt'), find(details, 'InstdAmt', 'Amt')]
  const references = find(element, 'Refs')
  const purpose = [...allTexts(find(element, 'RmtInf'), remittanceNames), textOf(element, 'AddtlTxInf') ?? '']
  return {
    amounts: amounts.flatMap(readMoney),
    charges: readCharges(element),
    references: ownReferences(references),
    number: referenceOf(references, 'EndToEndId') ?? referenceOf(references, 'InstrId'),
    debtor: readParty(element, 'Dbtr'),
    creditor: readParty(element, 'Cdtr'),
    text: tidyText(purpose.join(' ')),
  }
}

/** A payment with its share of the entry, as decimal text. */
export type Part = Payment & { readonly amount: string }

/**
 * The payments of an entry, if their amounts in its currency, or these less their charges, add up to its own. Charges
 * are added to money out.
 */
export const partsOf = (
  payments: readonly Payment[],
  amount: string,
  currency: string | null,
  isMoneyIn: boolean,
): Part[] => {
  if (payments.length < 2) return []
  const gross = payments.map(({ amounts }) => amounts.find((each) => each.currency === currency)?.scaled ?? null)
  const net = payments.map(({ charges }, index) => {
    const sum = charges.reduce<bigint | null>(
      (before, each) =>
        before === null || each.scaled === null || each.currency !== currency ? null : before + each.scaled,
      0n,
    )
    const whole = gross[index] ?? null
    if (whole === null || sum === null) return null
    return isMoneyIn ? whole - sum : whole + sum
  })
  const wanted = toScaled(amount)
  const shares = [gross, net].find(
    (each) =>
      each.every((share) => share !== null && share > 0n) &&
      each.reduce<bigint>((sum, share) => sum + (share ?? 0n), 0n) === wanted,
  )
  return shares ? payments.map((payment, index) => ({ ...payment, amount: fromScaled(shares[index] ?? 0n) })) : []
}

/** The same value of all payments, or `null`. */
const commonOf = <T>(payments: readonly Payment[], valueOf: (payment: Payment) => T | null): T | null => {
  const [first = null, ...others] = new Set(payments.map(valueOf))
  return others.length > 0 ? null : first
}

const joinDifferent = (texts: readonly (string | null)[], mark: string): string | null =>
  tidyText([...new Set(present(...texts))].join(mark))

/** All payments of an entry that cannot be divided among them: who sent it and what for, without any one's number. */
export const joinPayments = (payments: readonly Payment[]): Payment | undefined => {
  const [first] = payments
  if (!first || payments.length === 1) return first
  const joinParty = (partyOf: (payment: Payment) => Party): Party => ({
    name: joinDifferent(
      payments.map((each) => partyOf(each).name),
      ', ',
    ),
    phone: commonOf(payments, (each) => partyOf(each).phone),
    account: commonOf(payments, (each) => partyOf(each).account),
    bank: commonOf(payments, (each) => partyOf(each).bank.join(' ')) === null ? [] : partyOf(first).bank,
  })
  return {
    ...{ amounts: [], charges: [], references: [], number: null },
    debtor: joinParty(({ debtor }) => debtor),
    creditor: joinParty(({ creditor }) => creditor),
    text: joinDifferent(
      payments.map(({ text }) => text),
      '; ',
    ),
  }
}
