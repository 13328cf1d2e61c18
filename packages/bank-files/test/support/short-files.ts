// Short bank files for tests, by what each bank may write otherwise.
import { exchangeOf, type MadeRow } from './made-files.ts'
import { type Cell, workbookOf } from './workbooks.ts'

/** A text file of an account. */
type TextFile = (account: string) => string

/** OFX with transactions such as `2026-11-23 10.00 FITID <MEMO>further elements`. */
export const ofx =
  (...transactions: readonly string[]): TextFile =>
  (account) =>
    `OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>${account}</BANKACCTFROM>
${transactions.map((each) => each.replace(/^(\d+)-(\d+)-(\d+) (\S+) (\S+) ?(.*)$/s, '<STMTTRN><TRNTYPE>OTHER<DTPOSTED>$1$2$3<TRNAMT>$4<FITID>$5$6</STMTTRN>')).join('\n')}
</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`

/** An MT940 message between two balances such as `C261123EUR0,00`; a row is the value of `:61:` and its lines. */
export const mt940 =
  (opening: string, rows: readonly string[], closing: string): TextFile =>
  (account) =>
    [':20:A', `:25:${account}`, `:60F:${opening}`, ...rows.map((row) => `:61:${row}`), `:62F:${closing}`, '-'].join(
      '\n',
    )

const roots = {
  '052': ['BkToCstmrAcctRpt', 'Rpt'],
  '053': ['BkToCstmrStmt', 'Stmt'],
  '054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
} as const

/** A camt message with these balances and entries. */
export const camt =
  (kind: keyof typeof roots, ...parts: readonly string[]): TextFile =>
  (account) => {
    const [root, statement] = roots[kind]
    return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.08"><${root}><${statement}><Acct><Id><IBAN>${account}</IBAN></Id></Acct>
${parts.join('\n')}</${statement}></${root}></Document>`
  }

/** An entry of camt. */
export const entry = (day: string, amount: string, more = '', direction = 'CRDT'): string =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>${day}</Dt></BookgDt>${more}</Ntry>`

/** The payments of an entry. */
export const details = (...payments: readonly string[]): string =>
  `<NtryDtls>${payments.map((each) => `<TxDtls>${each}</TxDtls>`).join('')}</NtryDtls>`

/** The payments of an entry, such as `35.00 Anna Berg`, perhaps with a reference such as `35.00 #1 Anna Berg`. */
export const paidBy = (...payments: readonly string[]): string =>
  details(
    ...payments.map((each) => {
      const [, amount = '', reference, name = ''] = /^(\S+) (?:#(\S+) )?(.*)$/.exec(each) ?? []
      const refs = reference === undefined ? '' : `<Refs><AcctSvcrRef>${reference}</AcctSvcrRef></Refs>`
      return `${refs}<Amt Ccy="EUR">${amount}</Amt><RltdPties><Dbtr><Nm>${name}</Nm></Dbtr></RltdPties>`
    }),
  )

/** A balance of camt. */
export const balance = (code: string, amount: string, direction: string): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Dt><Dt>2026-11-23</Dt></Dt></Bal>`

/** A table that names its account above the header. */
export const csv =
  (...lines: readonly string[]): TextFile =>
  (account) =>
    [`Account;${account}`, ...lines, ''].join('\n')

/** A workbook that names its account above the header. */
export const xlsx =
  (...lines: readonly (readonly Cell[])[]) =>
  (account: string): Buffer =>
    workbookOf({ A: [['Account', account], ...lines] })

/** A 1C file of two days. */
export const exchange =
  (...rows: readonly (Partial<MadeRow> & { readonly minor: bigint })[]): TextFile =>
  (account) =>
    exchangeOf({ account, closedOn: '2026-11-24', rows: rows.map((row) => ({ date: '2026-11-23', ...row })) })
