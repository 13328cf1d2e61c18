import { accountDigits } from '../../rules/values/account-number.ts'
import type { SealedTable, Vault } from '../../secrets/vault.ts'
import type { PayeeDetails } from './outgoing/payee-details.ts'

export const sealedTransfers: SealedTable = {
  table: 'transfers',
  key: { requisite_id: 'uuid', id: 'uuid' },
  columns: [
    {
      name: 'sender_sealed',
      index: {
        name: 'sender_index',
        of: (vault, sender) => vault.blindIndex('payer', accountDigits(sender.toString())),
      },
    },
    { name: 'sender_name_sealed' },
    { name: 'text_sealed' },
  ],
}

/** Opens what a column of a transfer seals, if anything. */
export const openSealed = (
  { vault }: { readonly vault: Vault },
  column: 'sender_sealed' | 'sender_name_sealed' | 'text_sealed',
  row: string | null,
  sealed: string | null,
): string | null =>
  sealed === null || row === null ? null : vault.decrypt(sealed, { table: 'transfers', column, row })

export const sealedRules: SealedTable = {
  table: 'outgoing_rules',
  key: { id: 'uuid' },
  columns: [{ name: 'details_sealed' }],
}

export const sealedRefunds: SealedTable = {
  table: 'refunds',
  key: { merchant_id: 'uuid', id: 'uuid' },
  columns: [{ name: 'pay_to_sealed' }, { name: 'payee_sealed' }],
}

export const sealedOutgoing: SealedTable = {
  table: 'outgoing_transfers',
  key: { requisite_id: 'uuid', id: 'uuid' },
  columns: [
    {
      name: 'details_sealed',
      index: {
        name: 'payee_index',
        of: (vault, details) => {
          const { number } = JSON.parse(details.toString()) as PayeeDetails
          return number === null ? null : vault.blindIndex('payer', accountDigits(number))
        },
      },
    },
  ],
}
