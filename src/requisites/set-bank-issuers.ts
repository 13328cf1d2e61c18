import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { checkBank } from '../domain/check-recipient.ts'
import { Refusal } from '../domain/refusal.ts'
import type { BankIssuer } from './bank-issuers.ts'
import { upsertBanks } from './store.ts'

/** A bank issuer as the operator sets it; its customers' links and steps are set by `setBankGuide`. */
export type NewBankIssuer = Pick<BankIssuer, 'code' | 'name' | 'country' | 'sbpMemberId'> &
  Partial<Pick<BankIssuer, 'bic' | 'correspondentAccount' | 'aliases' | 'rank'>>

const unknown = { bic: null, correspondentAccount: null, aliases: [], rank: null }

/** Adds bank issuers, or changes those with the same codes. Refuses `validation_failed` for numbers that do not fit. */
export const setBankIssuers = async (tx: Tx, banks: readonly NewBankIssuer[]): Promise<void> => {
  const rows = banks.map((bank) => ({ ...unknown, ...bank }))
  const errors = rows.flatMap((bank, index) =>
    checkBank(bank).map(({ field, message }) => ({
      field: `bankIssuers.${index}.${field}`,
      code: 'validation_failed',
      message,
    })),
  )
  if (errors.length > 0) throw new Refusal('validation_failed', 'Some banks are not valid; none was set.', { errors })
  await tx.query(upsertBanks, { rows })
  await raiseCatalogVersion(tx, 'banks')
}
