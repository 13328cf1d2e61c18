import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import type { BankIssuer } from './bank-issuers.ts'
import { upsertBanks } from './store.ts'

/** A bank issuer as the operator sets it; what its customers are told is set apart. */
export type NewBankIssuer = Pick<BankIssuer, 'code' | 'name' | 'country' | 'sbpMemberId'> &
  Partial<Pick<BankIssuer, 'bic' | 'correspondentAccount'>>

/** Adds bank issuers, or changes those with the same codes. */
export const setBankIssuers = async (tx: Tx, banks: readonly NewBankIssuer[]): Promise<void> => {
  await tx.query(upsertBanks, {
    codes: banks.map((bank) => bank.code),
    names: banks.map((bank) => bank.name),
    countries: banks.map((bank) => bank.country),
    sbpMemberIds: banks.map((bank) => bank.sbpMemberId),
    bics: banks.map((bank) => bank.bic ?? null),
    correspondentAccounts: banks.map((bank) => bank.correspondentAccount ?? null),
  })
  await raiseCatalogVersion(tx, 'banks')
}
