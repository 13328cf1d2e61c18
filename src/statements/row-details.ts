import type { Vault } from '../secrets/vault.ts'

/** What a row tells of the payer, sealed as one value. */
export type RowDetails = {
  readonly payerNumber: string | null
  readonly payerName: string | null
  /** Code of the payer's bank, where it is one that is known here. */
  readonly senderBank: string | null
  readonly text: string | null
  readonly number: string | null
}

const place = (statementId: string, position: number) => ({
  table: 'statement_rows',
  column: 'details_sealed',
  row: `${statementId}/${position}`,
})

/** Seals what a row tells of the payer. */
export const sealDetails = (
  vault: Vault,
  statementId: string,
  position: number,
  { payerNumber, payerName, senderBank, text, number }: RowDetails,
): string =>
  vault.encrypt(JSON.stringify({ payerNumber, payerName, senderBank, text, number }), place(statementId, position))

/** Opens what `sealDetails` sealed. */
export const rowDetails = (vault: Vault, statementId: string, position: number, sealed: string): RowDetails =>
  JSON.parse(vault.decrypt(sealed, place(statementId, position))) as RowDetails
