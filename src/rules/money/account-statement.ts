import { csvLine } from '../values/csv.ts'
import { amountDigits, currencyDecimals, formatDecimal, showAmount, usdt } from '../values/currency.ts'
import type { PostingKind } from './ledger.ts'
import { formatInstant, type Instant } from '../time.ts'
import { xmlText } from '../values/xml-text.ts'

/** One movement of a merchant's available balance in a currency; amounts in its minor units. */
export type Movement = {
  readonly id: string
  readonly kind: PostingKind
  /** What the balance gained; negative for what it lost. */
  readonly change: bigint
  readonly deducted: bigint
  readonly paymentId: string | null
  readonly orderId: string | null
  /** Reference of the settlement, decision or adjustment. */
  readonly reference: string | null
  readonly postedAt: Instant
}

export type AccountStatement = {
  readonly merchantId: string
  readonly merchantName: string
  /** What the balance is in. */
  readonly currency: string
  readonly from: Instant
  readonly to: Instant
  readonly opening: bigint
  readonly closing: bigint
}

/** Aborts the stream if the sum is wrong, so that nobody takes the statement for complete. */
const assertClosing = (present: bigint, { closing }: AccountStatement): void => {
  if (present !== closing) throw new Error(`an account statement ends with ${present} instead of ${closing}`)
}

/** The statement as lines of CSV: the opening balance, each movement with the balance after it, the closing balance. */
export async function* statementToCsv(
  statement: AccountStatement,
  movements: AsyncIterable<Movement>,
): AsyncGenerator<string> {
  const { currency } = statement
  const text = (minor: bigint): string => amountDigits(minor, currency)
  yield csvLine(['postedAt', 'id', 'kind', 'orderId', 'reference', 'amount', 'deducted', 'balance', 'currency'])
  const line = (at: Instant, name: string, balance: bigint): string =>
    csvLine([formatInstant(at), '', name, '', '', '', '', text(balance), currency])
  let balance = statement.opening
  yield line(statement.from, 'opening', balance)
  for await (const { id, kind, change, deducted, orderId, reference, postedAt } of movements) {
    balance += change
    const amounts = [text(change), text(deducted), text(balance)]
    yield csvLine([formatInstant(postedAt), id, kind, orderId, reference, ...amounts, currency])
  }
  assertClosing(balance, statement)
  yield line(statement.to, 'closing', balance)
}

/** The most decimals of an amount in ISO 20022; USDT has one more. */
const mostDecimals = 5

/** Both ends of a span to the millisecond, short enough for an identifier. */
const spanText = (from: Instant, to: Instant): string => `${from.toString(36)}-${to.toString(36)}`

const side = (value: bigint): string => (value < 0n ? 'DBIT' : 'CRDT')

/**
 * The statement as camt.053.001.02, which accounting software imports. ISO 20022 allows only currencies of three
 * letters and amounts of five decimals: `code` replaces that of the currency, and each entry is the difference of the
 * rounded balances before and after it, so that the entries add up to the closing balance; its text contains the exact
 * amount.
 */
export async function* statementToCamt(
  statement: AccountStatement,
  movements: AsyncIterable<Movement>,
  code: string,
): AsyncGenerator<string> {
  const { merchantId, merchantName, currency, from, to, opening, closing } = statement
  const decimals = currencyDecimals(currency)
  const shown = Math.min(decimals, mostDecimals)
  const step = 10n ** BigInt(decimals - shown)
  // Rounds towards minus infinity, so that the differences of rounded balances add up to their difference.
  const rounded = (minor: bigint): bigint => (minor - (((minor % step) + step) % step)) / step
  const amount = (value: bigint): string =>
    `<Amt Ccy="${code}">${formatDecimal(value < 0n ? -value : value, shown)}</Amt><CdtDbtInd>${side(value)}</CdtDbtInd>`
  const balance = (kind: string, minor: bigint, at: Instant): string =>
    `<Bal><Tp><CdOrPrtry><Cd>${kind}</Cd></CdOrPrtry></Tp>${amount(rounded(minor))}<Dt><DtTm>${formatInstant(at)}</DtTm></Dt></Bal>\n`
  // 17 and twice 8 digits with two dashes are the 35 characters of an identifier; the end of a UUID varies most.
  const own = currency === usdt ? '' : currency
  const id = `${merchantId.replaceAll('-', '').slice(own.length - 17)}${own}-${spanText(from, to)}`
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>\n`
  yield `<GrpHdr><MsgId>${id}</MsgId><CreDtTm>${formatInstant(to)}</CreDtTm></GrpHdr>\n`
  yield `<Stmt><Id>${id}</Id><CreDtTm>${formatInstant(to)}</CreDtTm><FrToDt><FrDtTm>${formatInstant(from)}</FrDtTm><ToDtTm>${formatInstant(to)}</ToDtTm></FrToDt>\n`
  yield `<Acct><Id><Othr><Id>${merchantId.replaceAll('-', '').slice(own === '' ? 0 : 1)}${own}</Id></Othr></Id><Ccy>${code}</Ccy><Ownr><Nm>${xmlText(merchantName, 140)}</Nm></Ownr></Acct>\n`
  yield balance('OPBD', opening, from) + balance('CLBD', closing, to)
  let present = opening
  for await (const { id: entryId, change, kind, orderId, reference, deducted, postedAt } of movements) {
    const moved = rounded(present + change) - rounded(present)
    present += change
    const details = [
      `${kind} ${showAmount(change, currency)}`,
      ...(deducted === 0n ? [] : [`fee ${amountDigits(deducted, currency)}`]),
      ...(orderId === null ? [] : [`order ${orderId}`]),
      ...(reference === null ? [] : [`reference ${reference}`]),
    ].join(', ')
    const reversal = kind === 'reverse' || kind === 'return' ? '<RvslInd>true</RvslInd>' : ''
    const endToEnd = xmlText(orderId ?? reference ?? 'NOTPROVIDED', 35)
    yield `<Ntry>${amount(moved)}${reversal}<Sts>BOOK</Sts><BookgDt><DtTm>${formatInstant(postedAt)}</DtTm></BookgDt>` +
      `<AcctSvcrRef>${entryId.replaceAll('-', '')}</AcctSvcrRef><BkTxCd><Prtry><Cd>${kind}</Cd></Prtry></BkTxCd>` +
      `<NtryDtls><TxDtls><Refs><EndToEndId>${endToEnd}</EndToEndId></Refs></TxDtls></NtryDtls>` +
      `<AddtlNtryInf>${xmlText(details, 500)}</AddtlNtryInf></Ntry>\n`
  }
  assertClosing(present, statement)
  yield '</Stmt></BkToCstmrStmt></Document>\n'
}
