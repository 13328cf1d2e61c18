import { currencyDecimals, formatDecimal } from '../values/currency.ts'
import { changeOf, type SimulatedStatement, simulatedPayer } from './simulated-statement.ts'
import { formatInstant, type Instant } from '../time.ts'
import { xmlText } from '../values/xml-text.ts'

const money = (minor: bigint, currency: string): string => {
  const amount = formatDecimal(minor < 0n ? -minor : minor, currencyDecimals(currency))
  return `<Amt Ccy="${currency.toUpperCase()}">${amount}</Amt><CdtDbtInd>${minor < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd>`
}

const writeEntry = (booking: SimulatedStatement['bookings'][number], currency: string): string => {
  const { reference, kind, text, bookedAt } = booking
  const isReversal = kind === 'reversal'
  const [party, agent] = kind === 'refund' ? ['Cdtr', 'CdtrAgt'] : ['Dbtr', 'DbtrAgt']
  const at = formatInstant(bookedAt)
  return (
    `<Ntry>${money(changeOf(booking), currency)}${isReversal ? '<RvslInd>true</RvslInd>' : ''}<Sts>BOOK</Sts>` +
    `<BookgDt><DtTm>${at}</DtTm></BookgDt><ValDt><DtTm>${at}</DtTm></ValDt><AcctSvcrRef>${reference}</AcctSvcrRef>` +
    `<BkTxCd><Prtry><Cd>${isReversal ? 'REVERSAL' : 'TRANSFER'}</Cd></Prtry></BkTxCd>` +
    `<NtryDtls><TxDtls><RltdPties><${party}><Nm>${simulatedPayer.name}</Nm></${party}></RltdPties>` +
    `<RltdAgts><${agent}><FinInstnId><Nm>${simulatedPayer.bank}</Nm></FinInstnId></${agent}></RltdAgts>` +
    `<RmtInf><Ustrd>${xmlText(text ?? simulatedPayer.text, 140)}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n`
  )
}

const writeBalance = (code: string, minor: bigint, { currency, day }: SimulatedStatement): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${money(minor, currency)}<Dt><Dt>${day}</Dt></Dt></Bal>\n`

const writeAccount = function* (statement: SimulatedStatement, index: number, writtenAt: Instant): Generator<string> {
  const { account, holder, currency, day, opening, closing, bookings } = statement
  yield `<Stmt><Id>${day}-${index + 1}</Id><CreDtTm>${formatInstant(writtenAt)}</CreDtTm>\n` +
    `<Acct><Id><Othr><Id>${account}</Id></Othr></Id><Ccy>${currency.toUpperCase()}</Ccy><Ownr><Nm>${xmlText(holder, 140)}</Nm></Ownr></Acct>\n` +
    writeBalance('OPBD', opening, statement) +
    writeBalance('CLBD', closing, statement)
  for (const booking of bookings) yield writeEntry(booking, currency)
  yield '</Stmt>\n'
}

/** The statements as one camt.053.001.02 message (ISO 20022), in UTF-8. */
export const writeCamt = function* (statements: readonly SimulatedStatement[], writtenAt: Instant): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>\n' +
    `<GrpHdr><MsgId>SB${writtenAt.toString(36).toUpperCase()}</MsgId><CreDtTm>${formatInstant(writtenAt)}</CreDtTm></GrpHdr>\n`
  for (const [index, each] of statements.entries()) yield* writeAccount(each, index, writtenAt)
  yield '</BkToCstmrStmt></Document>\n'
}
