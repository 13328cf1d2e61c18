import { formatDecimal } from '../amount.ts'
import { currencyDecimals } from '../currency.ts'
import { known, type OrderBank, type OrderParty, type PaymentOrders } from './payment-order.ts'
import { accountId, bankElement, documentOf, element, xmlText } from './xml.ts'

const agent = (name: string, bank: OrderBank | null): string =>
  bank === null
    ? // The account's IBAN names the bank; the guidelines of SEPA write this.
      element(name, element('FinInstnId', element('Othr', element('Id', 'NOTPROVIDED'))))
    : bankElement(name, bank)

const party = (name: string, { name: called }: OrderParty): string =>
  element(name, element('Nm', xmlText(known(called))))

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
      element('PmtId', element('InstrId', String(number)) + element('EndToEndId', xmlText(endToEnd))),
      element('Amt', element('InstdAmt', decimal(amount), ` Ccy="${code}"`)),
      ...(payee.bank === null ? [] : [agent('CdtrAgt', payee.bank)]),
      party('Cdtr', payee),
      element('CdtrAcct', accountId(known(payee.account))),
      element('RmtInf', element('Ustrd', xmlText(said))),
    ]),
  )
  const message = element('CstmrCdtTrfInitn', [
    element('GrpHdr', [
      element('MsgId', xmlText(id)),
      element('CreDtTm', writtenAt),
      ...totals,
      party('InitgPty', payer),
    ]),
    element('PmtInf', [
      element('PmtInfId', xmlText(id)),
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
  return documentOf('pain.001.001.09', message)
}
