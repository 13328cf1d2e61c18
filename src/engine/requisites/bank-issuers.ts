import type { Tx } from '../context.ts'
import { type CatalogPart, raiseCatalogVersion } from '../catalog.ts'
import { type BankGuide, isBankLink } from '../../rules/payments/bank-guide.ts'
import { checkBank } from '../../rules/requisites/recipient.ts'
import { invalid, Refusal, requireRow } from '../../rules/refusal.ts'
import { listBanks, upsertBanks, updateGuide } from './store.ts'

/** A bank whose customers pay or are paid, by its wire code (`bankIssuer`). */
export type BankIssuer = ReturnType<typeof listBanks.decode>

export const bankIssuers: CatalogPart<ReadonlyMap<string, BankIssuer>> = {
  name: 'banks',
  load: async (sql) => new Map((await sql.query(listBanks, {})).map((bank) => [bank.code, bank])),
}

/** The operator's settings of a bank issuer; `setBankGuide` sets the links and steps for its customers. */
export type NewBankIssuer = Pick<BankIssuer, 'code' | 'name' | 'country' | 'sbpMemberId'> &
  Partial<Pick<BankIssuer, 'bic' | 'correspondentAccount' | 'aliases' | 'rank'>>

const unknown = { bic: null, correspondentAccount: null, aliases: [], rank: null }

/** Adds bank issuers, or changes those with the same codes. Refuses `validation_failed` for numbers that do not fit. */
export const setBankIssuers = async (tx: Tx, banks: readonly NewBankIssuer[]): Promise<void> => {
  const rows = banks.map((bank) => ({ ...unknown, ...bank }))
  const errors = rows.flatMap((bank, index) =>
    checkBank(bank).map(({ field, message }) => invalid(`bankIssuers.${index}.${field}`, message)),
  )
  if (errors.length > 0) throw new Refusal('validation_failed', 'Some banks are not valid; none was set.', { errors })
  await tx.query(upsertBanks, { rows })
  await raiseCatalogVersion(tx, 'banks')
}

/** Sets links and steps for a bank's customers. Refuses `resource_not_found`, and `validation_failed` for a link. */
export const setBankGuide = async (tx: Tx, code: string, guide: BankGuide): Promise<void> => {
  const message = 'must be a link by https or by the scheme of an app, with {amount} and {number} at most.'
  const wrong = Object.entries(guide.links).filter(([, link]) => !isBankLink(link))
  const errors = wrong.map(([method]) => invalid(`links.${method}`, message))
  if (errors.length > 0) throw new Refusal('validation_failed', 'Some links are not valid.', { errors })
  await raiseCatalogVersion(tx, 'banks')
  requireRow(await tx.query(updateGuide, { code, guide }), 'bank issuer')
}
