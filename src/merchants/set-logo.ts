import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { readReceiptType } from '../domain/receipt.ts'
import { refuseField } from '../domain/refusal.ts'
import { chainHash } from '../secrets/hash-chain.ts'
import { findMerchant } from './read.ts'
import { deleteLogo, upsertLogo } from './store.ts'

/** Largest logo in bytes: the payer's page must stay light on a slow line. */
export const maxLogoBytes = 4 * 1024

/**
 * Sets a merchant's logo, a PNG or JPEG, or removes it with `null`; answers its hash. Refuses `resource_not_found` and
 * `validation_failed`.
 */
export const setLogo = async (tx: Tx, merchantId: string, picture: Uint8Array | null): Promise<string | null> => {
  await raiseCatalogVersion(tx, 'merchants')
  await findMerchant(tx, merchantId)
  if (picture === null) {
    await tx.query(deleteLogo, { merchantId })
    return null
  }
  const contentType = readReceiptType(picture)
  if (contentType === undefined || contentType === 'application/pdf') {
    throw refuseField('validation_failed', 'image', 'is neither a PNG nor a JPEG.')
  }
  if (picture.length > maxLogoBytes) {
    throw refuseField('validation_failed', 'image', `is larger than ${maxLogoBytes / 1024} KiB.`)
  }
  const content = Buffer.from(picture).toString('base64')
  const hash = chainHash(merchantId, content).slice(0, 32)
  await tx.query(upsertLogo, { merchantId, hash, contentType, content })
  return hash
}
