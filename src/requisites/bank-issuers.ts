import type { CatalogPart } from '../database/catalog.ts'
import type { BankGuide } from '../domain/bank-guide.ts'
import { listBanks } from './store.ts'

/** A bank whose customers pay or are paid, by the code of the wire (`bankIssuer`). */
export type BankIssuer = {
  readonly code: string
  readonly name: string
  readonly country: string
  readonly sbpMemberId: string | null
  /** Nine digits, needed with the correspondent account for a payment QR code. */
  readonly bic: string | null
  readonly correspondentAccount: string | null
  /** Other names by which payers find it. */
  readonly aliases: readonly string[]
  /** 1 for the bank that most payers have; `null` for one whose place is not known. */
  readonly rank: number | null
  readonly guide: BankGuide
}

/** All bank issuers by code, kept in memory. */
export const bankIssuers: CatalogPart<ReadonlyMap<string, BankIssuer>> = {
  name: 'banks',
  load: async (sql) => new Map((await sql.query(listBanks, {})).map((bank) => [bank.code, bank])),
}
