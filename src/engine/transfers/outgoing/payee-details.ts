import type { Vault } from '../../../secrets/vault.ts'

/** What a bank says about who was paid and for what, sealed as one value. */
export type PayeeDetails = {
  readonly number: string | null
  readonly name: string | null
  readonly text: string | null
}

const cell = (id: string) => ({ table: 'outgoing_transfers', column: 'details_sealed', row: id })

export const sealPayeeDetails = (vault: Vault, id: string, { number, name, text }: PayeeDetails): string =>
  vault.encrypt(JSON.stringify({ number, name, text }), cell(id))

export const payeeDetails = (vault: Vault, id: string, sealed: string): PayeeDetails =>
  JSON.parse(vault.decrypt(sealed, cell(id))) as PayeeDetails
