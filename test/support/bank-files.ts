// Short bank files for tests, by what each bank may write otherwise, and the accounts that they are of.
import assert from 'node:assert/strict'
import { setLimits } from '../../src/engine/merchants/merchant.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { openOperator } from './operator.ts'
import type { TestService } from './service.ts'
import { newNumber, openShop } from './shop.ts'
import { exchangeOf, type MadeRow } from './statement-files.ts'
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

type Listed = {
  readonly bookedOn?: string
  readonly bookedAt: string
  readonly amount: number
  readonly senderName?: string
  readonly kind?: string
  readonly state?: string
  readonly duplicateOf?: string
}

const describe = (each: Listed, sign: string): string => {
  const isDuplicate = each.kind === 'duplicate' || each.state === 'duplicate'
  const mark = each.duplicateOf === undefined ? '' : isDuplicate ? '=' : '?'
  const day = (each.bookedOn ?? each.bookedAt.slice(0, 10)).replace('2026-11-', '')
  return `${day} ${mark}${sign}${each.amount} ${each.senderName ?? ''}`.trim()
}

let accounts = 0

/** Two bound accounts with a requisite each, and what an operator sees of them. */
export const openAccounts = async (service: TestService, currency: string) => {
  const shop = await openShop(service, { perMethod: 0 })
  const operator = openOperator(service)
  const numbers = [1, 2].map(() => {
    const number = String(++accounts).padStart(4, '0')
    return currency === 'rub' ? `4070281090000088${number}` : `DE32500105170077${number}00`
  }) as [string, string]
  const shared = { mode: 'live', method: 'account-to-account', currency, transferScope: null } as const
  const owner = { merchantId: shop.merchantId, bankIssuer: 'bank-a', holder: 'Shop', limits: {} }
  const ids = await service.context.transaction(async (tx) => {
    await setLimits(tx, null, { currency, min: 1_00n, max: 10_000_00n })
    return addRequisites(
      tx,
      numbers.map(() => ({ ...shared, ...owner, number: newNumber('account-to-account') })),
    )
  })
  for (const [index, number] of numbers.entries()) {
    const bound = await operator.call('PUT', '/statement-accounts', { number, requisiteIds: [ids[index]] })
    assert.equal(bound.status, 200, JSON.stringify(bound.body))
  }
  return {
    operator,
    numbers,
    /** Money as `23 ±amount initials`, a day of November 2026; `?` marks possible duplicates, `=` certain ones. */
    recorded: async (): Promise<string[]> => {
      const found: string[] = []
      for (const id of ids) {
        const { transfers } = (await operator.get(`/transfers?requisiteId=${id}&limit=100`)).body
        const { outgoing } = (await operator.get(`/outgoing?requisiteId=${id}&limit=100`)).body
        found.push(...transfers.map((each: Listed) => describe(each, '+')))
        found.push(...outgoing.map((each: Listed) => describe(each, '-')))
      }
      return found.toSorted()
    },
    /** What the ledger has on both accounts, in hundredths. */
    held: async (): Promise<number> => {
      const { balances } = (await operator.get('/ledger/balances')).body
      const own = balances.filter(({ account }: { account: string }) => ids.some((id) => account === `bank:${id}`))
      return own.reduce((sum: number, each: { balance: string }) => sum + Math.round(Number(each.balance) * 100), 0)
    },
  }
}
