import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { checkRecipient } from '../domain/check-recipient.ts'
import type { Recipient } from '../domain/recipient.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Requisite } from '../domain/requisite.ts'
import { bankIssuers } from './bank-issuers.ts'
import { revealNumber } from './reveal-number.ts'
import { revealRecipient, sealRecipient } from './reveal-recipient.ts'
import { listRequisites, updateRecipientRow } from './store.ts'

/**
 * Changes the holder of a requisite and what is known of the recipient; null removes a field. Payers see it at once, also
 * those of open payments. Refuses `resource_not_found` and `validation_failed`.
 */
export const updateRecipient = async (
  tx: Tx,
  id: string,
  {
    holder,
    ...wanted
  }: { readonly holder?: string | undefined } & { readonly [K in keyof Recipient]?: string | null | undefined },
): Promise<Requisite> => {
  // First, because it excludes other changes of this part until ours is done.
  await raiseCatalogVersion(tx, 'requisites')
  const before = (await tx.query(listRequisites, {})).find((each) => each.id === id)
  if (!before) throw new Refusal('resource_not_found', 'There is no such requisite.')
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
  const recipient: Recipient = { ...revealRecipient(tx.vault, before), ...given }
  const issuer = (await bankIssuers.load(tx, undefined)).get(before.bankIssuer)
  const faults = checkRecipient(recipient, { ...before, number: revealNumber(tx.vault, before) }, issuer)
  if (faults.length > 0) {
    // The number cannot be changed here: what does not fit it is the BIC.
    const errors = faults.map(({ field, message }) => ({
      field: field === 'number' ? 'bic' : field,
      code: 'validation_failed',
      message: field === 'number' ? 'does not fit the number of the requisite: a digit is wrong.' : message,
    }))
    throw new Refusal('validation_failed', 'Some details of the recipient are not valid; none was changed.', { errors })
  }
  const changed = { holder: holder ?? before.holder, recipientSealed: sealRecipient(tx.vault, id, recipient) }
  await tx.query(updateRecipientRow, { id, ...changed })
  return { ...before, ...changed }
}
