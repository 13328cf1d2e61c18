import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import type { BankIssuer } from './bank-issuers.ts'
import { upsertBanks } from './store.ts'

/** A bank issuer as the operator sets it; its customers' links and steps are set by `setBankGuide`. */
export type NewBankIssuer = Pick<BankIssuer, 'code' | 'name' | 'country' | 'sbpMemberId'> &
  Partial<Pick<BankIssuer, 'bic' | 'correspondentAccount'>>

/** Adds bank issuers, or changes those with the same codes. */
export const setBankIssuers = async (tx: Tx, banks: readonly NewBankIssuer[]): Promise<void> => {
  await tx.query(upsertBanks, { rows: banks.map((bank) => ({ bic: null, correspondentAccount: null, ...bank })) })
  await raiseCatalogVersion(tx, 'banks')
}
