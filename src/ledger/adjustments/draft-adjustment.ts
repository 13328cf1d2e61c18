import type { Tx } from '../../context.ts'
import { type Adjustment, isAdjustable } from '../../domain/adjustment.ts'
import { Refusal, refuseField } from '../../domain/refusal.ts'
import { findAdjustmentByReference, insertAdjustment, listAdjustableAccounts } from './store.ts'

/** What an operator wants to post. */
export type NewAdjustment = Pick<
  Adjustment,
  | 'merchantId'
  | 'reference'
  | 'debitAccount'
  | 'creditAccount'
  | 'currency'
  | 'amount'
  | 'reason'
  | 'bookedAt'
  | 'draftedBy'
>

const checkAccounts = async (tx: Tx, wanted: NewAdjustment): Promise<void> => {
  const { merchantId, currency, debitAccount, creditAccount } = wanted
  const known = await tx.query(listAdjustableAccounts, { merchantId, accounts: [debitAccount, creditAccount] })
  for (const field of ['debitAccount', 'creditAccount'] as const) {
    const name = wanted[field]
    const isKnown = known.some((each) => each.account === name && each.currency === currency)
    const mustBeKnown = name.startsWith('bank:') || name.startsWith('reversed:')
    if ((mustBeKnown && !isKnown) || !isAdjustable(name, merchantId, currency)) {
      throw refuseField('validation_failed', field, `is not an account that adjustments may use in ${currency}.`)
    }
  }
  if (debitAccount === creditAccount) {
    throw refuseField('validation_failed', 'creditAccount', 'must differ from debitAccount.')
  }
}

const isSame = (existing: Adjustment, wanted: Adjustment): boolean =>
  existing.reverses === wanted.reverses &&
  existing.debitAccount === wanted.debitAccount &&
  existing.creditAccount === wanted.creditAccount &&
  existing.currency === wanted.currency &&
  existing.amount === wanted.amount

/**
 * Adds a draft, or returns the adjustment that has its reference already, as after a concurrent submit of the same form.
 * Refuses `already_exists` when the reference belongs to another adjustment.
 */
export const addDraft = async (tx: Tx, drafted: Adjustment): Promise<Adjustment> => {
  if ((await tx.query(insertAdjustment, drafted)).length > 0) return drafted
  const { merchantId, reference } = drafted
  const [existing] = await tx.query(findAdjustmentByReference, { merchantId, reference })
  if (existing && isSame(existing, drafted)) return existing
  throw new Refusal('already_exists', `The reference ${reference} belongs to another adjustment.`)
}

/**
 * Drafts an adjustment; nothing is posted before another operator agrees. The same reference again answers the same
 * adjustment. Refuses `already_exists` when the reference belongs to another one, and `validation_failed`.
 */
export const draftAdjustment = async (tx: Tx, wanted: NewAdjustment): Promise<Adjustment> => {
  await checkAccounts(tx, wanted)
  const open = { id: tx.newId(), reverses: null, status: 'draft', decidedBy: null, decidedAt: null } as const
  return addDraft(tx, { ...wanted, ...open, createdAt: tx.now })
}
