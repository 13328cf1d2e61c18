import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { readPicture } from '../domain/picture.ts'
import { refuseField } from '../domain/refusal.ts'
import { chainHash } from '../secrets/hash-chain.ts'
import { findMerchant } from './read.ts'
import { deleteLogo, upsertLogo } from './store.ts'

/** Largest logo in bytes: the payer's page must stay light on a slow line. */
export const maxLogoBytes = 32 * 1024
/** Most pixels of a logo on a side: a small file may be a picture that takes a phone's memory. */
const maxLogoPixels = 2000

/**
 * Sets a merchant's logo, a PNG, JPEG or WebP, or removes it with `null`; answers its hash. Refuses `resource_not_found`
 * and `validation_failed`.
 */
export const setLogo = async (tx: Tx, merchantId: string, content: Uint8Array | null): Promise<string | null> => {
  await raiseCatalogVersion(tx, 'merchants')
  await findMerchant(tx, merchantId)
  if (content === null) {
    await tx.query(deleteLogo, { merchantId })
    return null
  }
  const refuse = (why: string) => refuseField('validation_failed', 'image', why)
  if (content.length > maxLogoBytes) throw refuse(`is larger than ${maxLogoBytes / 1024} KiB.`)
  const picture = readPicture(content)
  if (!picture) throw refuse('is neither a PNG nor a JPEG nor a WebP.')
  const { type: contentType, width, height } = picture
  if (Math.max(width, height) > maxLogoPixels) throw refuse(`is larger than ${maxLogoPixels} pixels on a side.`)
  const text = Buffer.from(content).toString('base64')
  const hash = chainHash(merchantId, text).slice(0, 32)
  await tx.query(upsertLogo, { merchantId, hash, contentType, content: text, width, height })
  return hash
}
