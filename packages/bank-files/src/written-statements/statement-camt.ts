import { formatDecimal } from '../amount.ts'
import { currencyDecimals } from '../currency.ts'
import { onOneLine } from '../payment-orders/payment-order.ts'
import { accountId, bankElement, documentOf, element, xmlText } from '../payment-orders/xml.ts'
import { changeOf, type WrittenEntry, type WrittenStatement } from './written-statement.ts'

/** The beginning of a text, up to this many characters. */
const cut = (text: string, most: number): string => xmlText([...onOneLine(text)].slice(0, most).join(''))

/** A text in lines of 140 characters, of words as far as they are not longer. */
const linesOf = (text: string | null): string[] =>
  onOneLine(text ?? '').match(/\S{140}|\S(?:.{0,138}\S)?(?=\s|$)/gu) ?? []

const named = (name: string | null): string[] => {
  const shown = cut(name ?? '', 140)
  return shown === '' ? [] : [element('Nm', shown)]
}

const moment = (booked: string): string => element(booked.includes('T') ? 'DtTm' : 'Dt', booked)

/** camt.053.001.08 of ISO 20022 (BankToCustomerStatement). */
export const writeStatementCamt = (statement: WrittenStatement): Uint8Array<ArrayBuffer> => {
  const { id, writtenAt, currency, owner, firstDay, lastDay, opening, entries } = statement
  const code = currency.toUpperCase()
  const money = (amount: bigint): string =>
    element('Amt', formatDecimal(amount < 0n ? -amount : amount, currencyDecimals(currency)), ` Ccy="${code}"`) +
    element('CdtDbtInd', amount < 0n ? 'DBIT' : 'CRDT')
  const balance = (kind: string, amount: bigint, day: string): string =>
    element('Bal', [
      element('Tp', element('CdOrPrtry', element('Cd', kind))),
      money(amount),
      element('Dt', element('Dt', day)),
    ])
  const entryOf = (entry: WrittenEntry): string => {
    const { direction, isReversal, amount, booked, reference, counterparty, text } = entry
    const { name, account, bank } = counterparty
    const side = (direction === 'credit') === isReversal ? 'Cdtr' : 'Dbtr'
    const party = named(name).map((each) => element(side, element('Pty', each)))
    const parties = [...party, ...(account === null ? [] : [element(`${side}Acct`, accountId(account.slice(0, 34)))])]
    const lines = linesOf(text).map((line) => element('Ustrd', xmlText(line)))
    const details = [
      ...(parties.length === 0 ? [] : [element('RltdPties', parties)]),
      ...(bank === null ? [] : [element('RltdAgts', bankElement(`${side}Agt`, bank))]),
      ...(lines.length === 0 ? [] : [element('RmtInf', lines)]),
    ]
    return element('Ntry', [
      element('NtryRef', xmlText(entry.id)),
      money(direction === 'credit' ? amount : -amount),
      ...(isReversal ? [element('RvslInd', 'true')] : []),
      element('Sts', element('Cd', 'BOOK')),
      element('BookgDt', moment(booked)),
      ...(reference === null ? [] : [element('AcctSvcrRef', cut(reference, 35))]),
      element('BkTxCd', element('Prtry', element('Cd', isReversal ? 'REVERSAL' : 'TRANSFER'))),
      ...(details.length === 0 ? [] : [element('NtryDtls', element('TxDtls', details))]),
    ])
  }
  const held = opening ?? 0n
  const message = element('BkToCstmrStmt', [
    element('GrpHdr', [element('MsgId', cut(id, 35)), element('CreDtTm', writtenAt)]),
    element('Stmt', [
      element('Id', cut(id, 35)),
      element('CreDtTm', writtenAt),
      element('FrToDt', element('FrDtTm', `${firstDay}T00:00:00`) + element('ToDtTm', `${lastDay}T23:59:59`)),
      element('Acct', [
        accountId(owner.account ?? ''),
        element('Ccy', code),
        ...named(owner.name).map((name) => element('Ownr', name)),
        ...(owner.bank === null ? [] : [bankElement('Svcr', owner.bank)]),
      ]),
      balance('OPBD', held, firstDay),
      balance('CLBD', held + changeOf(entries), lastDay),
      ...entries.map(entryOf),
    ]),
  ])
  return documentOf('camt.053.001.08', message)
}
