import type { Tx } from '../../../context.ts'
import { type EndpointPolicy, readOutboundUrl } from '../../../domain/endpoint.ts'
import {
  addSpread,
  isPointer,
  type RateSourceKind,
  type RateSourceWish,
  reservedNames,
} from '../../../domain/rate-source.ts'
import { Refusal, refuseField } from '../../../domain/refusal.ts'
import { lockSources } from './store.ts'

/** The refusal of a name that another source of the currency has. */
export const nameTaken = (currency: string, name: string): Refusal =>
  new Refusal('already_exists', `There is a source of ${currency} named ${name} already.`)

/**
 * What is set of a source, its address in its normal form. Refuses `validation_failed` for what does not fit its kind, and
 * `already_exists` for a name that another source of the currency has.
 */
export const checkSource = async (
  tx: Tx,
  policy: EndpointPolicy,
  { id, currency, kind }: { readonly id: string; readonly currency: string; readonly kind: RateSourceKind },
  wish: RateSourceWish,
): Promise<RateSourceWish> => {
  const refuse = (field: string, message: string): Refusal => refuseField('validation_failed', field, message)
  const { name, url, pointer, fixedPrice, spreadPpm } = wish
  if (reservedNames.includes(name)) throw refuse('name', `must not be one of ${reservedNames.join(', ')}.`)
  const others = (await tx.query(lockSources, {})).filter((other) => other.currency === currency && other.id !== id)
  if (others.some((other) => other.name === name)) {
    throw nameTaken(currency, name)
  }
  if (kind === 'fixed') {
    if (url !== null || pointer !== null) throw refuse('url', 'and pointer are of JSON sources only.')
    if (fixedPrice === null) throw refuse('price', 'is required.')
    if (addSpread(fixedPrice, spreadPpm) === 0n) throw refuse('spreadPpm', 'leaves nothing of the price.')
    return wish
  }
  if (fixedPrice !== null) throw refuse('price', 'is of fixed sources only.')
  if (url === null) throw refuse('url', 'is required.')
  if (pointer === null || !isPointer(pointer)) throw refuse('pointer', 'is not a JSON pointer, such as /data/rub.')
  const normal = readOutboundUrl(url, policy)
  if (normal instanceof Refusal) throw normal
  return { ...wish, url: normal }
}
