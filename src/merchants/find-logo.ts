import type { Context } from '../context.ts'
import { findLogo as find } from './store.ts'

/** The picture with a hash, and its media type; `undefined` when no merchant has it any more. */
export const findLogo = async (
  context: Context,
  hash: string,
): Promise<{ readonly contentType: string; readonly content: Uint8Array } | undefined> => {
  const [row] = await context.query(find, { hash })
  return row && { contentType: row.contentType, content: Buffer.from(row.content, 'base64') }
}
