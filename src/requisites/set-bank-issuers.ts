import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import type { BankIssuer } from './bank-issuers.ts'
import { upsertBanks } from './store.ts'

/** Adds bank issuers, or changes those with the same codes. */
export const setBankIssuers = async (tx: Tx, banks: readonly BankIssuer[]): Promise<void> => {
  await tx.query(upsertBanks, {
    codes: banks.map((bank) => bank.code),
    names: banks.map((bank) => bank.name),
    countries: banks.map((bank) => bank.country),
    sbpMemberIds: banks.map((bank) => bank.sbpMemberId),
  })
  await raiseCatalogVersion(tx, 'banks')
}
