import type { Tx } from '../context.ts'
import { type FieldError, invalid, Refusal } from '../../rules/refusal.ts'
import { accountSpellings } from '../../rules/statements/statement.ts'
import { listBoundRequisites } from '../requisites/read.ts'
import { listRequisitesOfAccount } from './sources/store.ts'

/**
 * Refuses requisites, just added by the same transaction, with the number of an account whose money imported files have
 * booked on other ones: the next file of it would count that money again. A bound account keeps its requisites.
 */
export const refuseBookedNumbers = async (tx: Tx, added: readonly { readonly number: string }[]): Promise<void> => {
  const errors: FieldError[] = []
  for (const [index, { number }] of added.entries()) {
    const spellings = accountSpellings(number)
    if ((await listBoundRequisites(tx, spellings)).length > 0) continue
    const numberIndexes = spellings.flatMap((each) => tx.vault.blindIndexes('statement-account', each))
    const [booked] = await tx.query(listRequisitesOfAccount, { numberIndexes })
    if (!booked) continue
    const message = `is the number of an account whose money was booked on ${booked.requisiteId}: bind the account to that one first (payin statements bind).`
    errors.push(invalid(`requisites.${index}.number`, message))
  }
  if (errors.length > 0)
    throw new Refusal('validation_failed', 'The money of an account would be counted again; none was added.', {
      errors,
    })
}
