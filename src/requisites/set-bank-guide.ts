import type { Tx } from '../context.ts'
import { raiseCatalogVersion } from '../database/catalog.ts'
import { type BankGuide, isBankLink } from '../domain/bank-guide.ts'
import { type FieldError, Refusal } from '../domain/refusal.ts'
import { updateGuide } from './store.ts'

/** Sets the links and steps of a bank's customers. Refuses `resource_not_found`, and `validation_failed` for a link. */
export const setBankGuide = async (tx: Tx, code: string, guide: BankGuide): Promise<void> => {
  const errors = Object.entries(guide.links).flatMap(([method, link]): FieldError[] =>
    isBankLink(link)
      ? []
      : [
          {
            field: `links.${method}`,
            code: 'validation_failed',
            message: 'must be a link by https or by the scheme of an app, with {amount} and {number} at most.',
          },
        ],
  )
  if (errors.length > 0) throw new Refusal('validation_failed', 'Some links are not valid.', { errors })
  await raiseCatalogVersion(tx, 'banks')
  const [found] = await tx.query(updateGuide, { code, guide })
  if (!found) throw new Refusal('resource_not_found', 'There is no such bank issuer.')
}
