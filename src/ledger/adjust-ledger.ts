import type { Tx } from '../context.ts'
import {
  type Adjustment,
  decideAdjustment,
  isAdjustable,
  postAdjustment,
  reverseAdjustment,
} from '../domain/adjustment.ts'
import { Refusal, refuseField } from '../domain/refusal.ts'
import { postEntries } from './post-entries.ts'
import {
  decideAdjustment as update,
  findAdjustmentByReference,
  findReversal,
  insertAdjustment,
  listAdjustableAccounts,
  lockAdjustment,
} from './store.ts'

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
    const mustBe = name.startsWith('bank:') || name.startsWith('reversed:')
    if ((mustBe && !isKnown) || !isAdjustable(name, merchantId, currency)) {
      throw refuseField('validation_failed', field, `is no account that adjustments may use in ${currency}.`)
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

/** Adds an adjustment; when its reference is taken, as by the same submit at the same time, answers that one. */
const insert = async (tx: Tx, drafted: Adjustment): Promise<Adjustment> => {
  if ((await tx.query(insertAdjustment, drafted)).length > 0) return drafted
  const { merchantId, reference } = drafted
  const [existing] = await tx.query(findAdjustmentByReference, { merchantId, reference })
  if (existing && isSame(existing, drafted)) return existing
  throw new Refusal('already_exists', `The reference ${reference} stands for another adjustment.`)
}

/**
 * Drafts an adjustment; nothing is posted before another operator agrees. The same reference again answers the same
 * one. Refuses `already_exists` when the reference stands for another one, `validation_failed`.
 */
export const adjustLedger = async (tx: Tx, wanted: NewAdjustment): Promise<Adjustment> => {
  await checkAccounts(tx, wanted)
  const open = { id: tx.newId(), reverses: null, status: 'draft', decidedBy: null, decidedAt: null } as const
  return insert(tx, { ...wanted, ...open, createdAt: tx.now })
}

const lock = async (tx: Tx, merchantId: string, id: string): Promise<Adjustment> => {
  const [adjustment] = await tx.query(lockAdjustment, { merchantId, id })
  if (!adjustment) throw new Refusal('resource_not_found', 'There is no such adjustment.')
  return adjustment
}

/** Posts or rejects a drafted adjustment. Refuses `resource_not_found`, `invalid_state`, `second_person_required`. */
export const settleAdjustment = async (
  tx: Tx,
  key: { readonly merchantId: string; readonly id: string },
  status: 'posted' | 'rejected',
  actor: string,
): Promise<Adjustment> => {
  const before = await lock(tx, key.merchantId, key.id)
  const after = decideAdjustment(before, status, actor, tx.now)
  if (after instanceof Refusal) throw after
  if (after === before) return before
  await tx.query(update, { ...key, status, decidedBy: actor, decidedAt: tx.now })
  if (status === 'posted') await postEntries(tx, [[postAdjustment(after)]])
  return after
}

/**
 * Drafts the reversing entry of a posted adjustment, which another operator must post like any other. Refuses
 * `resource_not_found`, `invalid_state`, and `already_exists` when it has been reversed or the reference is taken.
 */
export const undoAdjustment = async (
  tx: Tx,
  key: { readonly merchantId: string; readonly id: string },
  by: Pick<Adjustment, 'reference' | 'reason' | 'bookedAt' | 'draftedBy'>,
): Promise<Adjustment> => {
  const { merchantId } = key
  const original = await lock(tx, merchantId, key.id)
  const [known] = await tx.query(findReversal, { merchantId, reverses: original.id })
  if (known?.reference === by.reference) return known
  if (known) throw new Refusal('already_exists', 'The adjustment has been reversed before.')
  if (original.status !== 'posted') throw new Refusal('invalid_state', `The adjustment is ${original.status}.`)
  return insert(tx, reverseAdjustment(original, { ...by, id: tx.newId(), createdAt: tx.now }))
}
