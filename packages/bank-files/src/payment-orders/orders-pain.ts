import { formatDecimal } from '../amount.ts'
import { currencyDecimals } from '../currency.ts'
import { isIban } from '../iban.ts'
import { known, onOneLine, type OrderBank, type OrderParty, type PaymentOrders } from './payment-order.ts'

type Content = string | readonly string[]

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const text = (value: string): string => onOneLine(value).replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign)

const element = (name: string, content: Content, attributes = ''): string =>
  typeof content === 'string'
    ? `<${name}${attributes}>${content}</${name}>`
    : `<${name}${attributes}>\n${content.join('\n')}\n</${name}>`

const isSwiftBic = (bic: string): boolean => /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(bic)

/** The code of the Bank of Russia for its BICs, in the external code sets of ISO 20022. */
const russian = element('ClrSysId', element('Cd', 'RUCBC'))

const agent = (name: string, bank: OrderBank | null): string => {
  if (bank === null)
    // The account's IBAN names the bank; the guidelines of SEPA write this.
    return element(name, element('FinInstnId', element('Othr', element('Id', 'NOTPROVIDED'))))
  const id = isSwiftBic(bank.bic)
    ? element('BICFI', bank.bic)
    : element('ClrSysMmbId', russian + element('MmbId', bank.bic))
  return element(name, element('FinInstnId', id + (bank.name ? element('Nm', text(bank.name.slice(0, 140))) : '')))
}

const accountId = (account: string): string =>
  element('Id', isIban(account) ? element('IBAN', account) : element('Othr', element('Id', text(account))))

const party = (name: string, { name: called }: OrderParty): string => element(name, element('Nm', text(known(called))))

/** pain.001.001.09 of ISO 20022 (CustomerCreditTransferInitiation). */
export const writeOrdersPain = ({ id, writtenAt, currency, payer, orders }: PaymentOrders): Uint8Array<ArrayBuffer> => {
  const decimal = (amount: bigint): string => formatDecimal(amount, currencyDecimals(currency))
  const code = currency.toUpperCase()
  const totals = [
    element('NbOfTxs', String(orders.length)),
    element('CtrlSum', decimal(orders.reduce((sum, { amount }) => sum + amount, 0n))),
  ]
  const transfers = orders.map(({ number, id: endToEnd, amount, payee, text: said }) =>
    element('CdtTrfTxInf', [
      element('PmtId', element('InstrId', String(number)) + element('EndToEndId', text(endToEnd))),
      element('Amt', element('InstdAmt', decimal(amount), ` Ccy="${code}"`)),
      ...(payee.bank === null ? [] : [agent('CdtrAgt', payee.bank)]),
      party('Cdtr', payee),
      element('CdtrAcct', accountId(known(payee.account))),
      element('RmtInf', element('Ustrd', text(said))),
    ]),
  )
  const message = element('CstmrCdtTrfInitn', [
    element('GrpHdr', [element('MsgId', text(id)), element('CreDtTm', writtenAt), ...totals, party('InitgPty', payer)]),
    element('PmtInf', [
      element('PmtInfId', text(id)),
      element('PmtMtd', 'TRF'),
      // Each order is a debit of its own in the statement.
      element('BtchBookg', 'false'),
      ...totals,
      element('ReqdExctnDt', element('Dt', writtenAt.slice(0, 10))),
      party('Dbtr', payer),
      element('DbtrAcct', accountId(known(payer.account)) + element('Ccy', code)),
      agent('DbtrAgt', payer.bank),
      ...transfers,
    ]),
  ])
  const namespace = ' xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"'
  return new TextEncoder().encode(
    `<?xml version="1.0" encoding="UTF-8"?>\n${element('Document', [message], namespace)}\n`,
  )
}
