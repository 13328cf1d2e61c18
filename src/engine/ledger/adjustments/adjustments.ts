import type { Context, Tx } from '../../context.ts'
import {
  type Adjustment,
  adjustmentAfter,
  isAdjustable,
  isOverpayment,
  postAdjustment,
  reversalOf,
} from '../../../rules/money/adjustment.ts'
import { reader } from 'payin-database'
import { serviceBooks } from '../../../rules/money/ledger.ts'
import { invalidState, Refusal, refuseField, requireRow } from '../../../rules/refusal.ts'
import { postEntries } from '../post-entries.ts'
import { lockOwed } from '../read.ts'
import {
  findAdjustmentByReference,
  findAdjustments,
  findReversal,
  insertAdjustment,
  listAdjustableAccounts,
  lockAdjustment,
  selectAdjustments,
  updateAdjustment,
} from './store.ts'

type NewAdjustment = Omit<Adjustment, 'id' | 'reverses' | 'status' | 'decidedBy' | 'decidedAt' | 'createdAt'>

const checkAccounts = async (tx: Tx, wanted: NewAdjustment): Promise<void> => {
  const { merchantId, currency, debitAccount, creditAccount } = wanted
  const known = await tx.query(listAdjustableAccounts, { merchantId, accounts: [debitAccount, creditAccount] })
  for (const field of ['debitAccount', 'creditAccount'] as const) {
    const name = wanted[field]
    const other = field === 'debitAccount' ? creditAccount : debitAccount
    const isKnown = known.some((each) => each.account === name && each.currency === currency)
    const mustBeKnown = /^(bank|reversed|overpayment):/.test(name)
    if ((mustBeKnown && !isKnown) || !isAdjustable(name, other, merchantId, currency)) {
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
 * Adds a draft, or returns the adjustment that already has its reference, as after a concurrent submit of the same
 * form. Refuses `already_exists` if the reference belongs to another adjustment.
 */
const addDraft = async (tx: Tx, drafted: Adjustment): Promise<Adjustment> => {
  if ((await tx.query(insertAdjustment, drafted)).length > 0) return drafted
  const { merchantId, reference } = drafted
  const [existing] = await tx.query(findAdjustmentByReference, { merchantId, reference })
  if (existing && isSame(existing, drafted)) return existing
  throw new Refusal('already_exists', `The reference ${reference} belongs to another adjustment.`)
}

/**
 * Drafts an adjustment; nothing is posted until another operator agrees. Repeating a reference returns the same
 * adjustment. Refuses `already_exists` if the reference belongs to another one, and `validation_failed`.
 */
export const draftAdjustment = async (tx: Tx, wanted: NewAdjustment): Promise<Adjustment> => {
  await checkAccounts(tx, wanted)
  const open = { id: tx.newId(), reverses: null, status: 'draft', decidedBy: null, decidedAt: null } as const
  return addDraft(tx, { ...wanted, ...open, createdAt: tx.now })
}

type AdjustmentKey = { readonly merchantId: string; readonly id: string }

const lock = async (tx: Tx, { merchantId, id }: AdjustmentKey): Promise<Adjustment> =>
  requireRow(await tx.query(lockAdjustment, { merchantId, id }), 'adjustment')

/** Refuses `balance_insufficient` if more is written off than a payer is owed by now. */
const refuseMoreThanOwed = async (
  tx: Tx,
  { merchantId, debitAccount, currency, amount }: Adjustment,
): Promise<void> => {
  if (isOverpayment(debitAccount) && (await lockOwed(tx, merchantId, debitAccount, currency)) < amount)
    throw new Refusal('balance_insufficient', 'The payer of this payment is owed less.')
}

/**
 * Posts or rejects a drafted adjustment. Refuses `resource_not_found`, `invalid_state`, `second_person_required` and
 * `balance_insufficient`.
 */
export const decideAdjustment = async (
  tx: Tx,
  key: AdjustmentKey,
  status: 'posted' | 'rejected',
  actor: string,
): Promise<Adjustment> => {
  const before = await lock(tx, key)
  const after = adjustmentAfter(before, status, actor, tx.now)
  if (after instanceof Refusal) throw after
  if (after === before) return before
  await tx.query(updateAdjustment, { ...key, status, decidedBy: actor, decidedAt: tx.now })
  if (status === 'posted') await refuseMoreThanOwed(tx, after)
  if (status === 'posted') await postEntries(tx, [[postAdjustment(after)]])
  return after
}

/**
 * Drafts the reversing entry of a posted adjustment; another operator must post it like any other. Refuses
 * `resource_not_found`, `invalid_state`, and `already_exists` if it was reversed before or the reference is taken.
 */
export const reverseAdjustment = async (
  tx: Tx,
  key: AdjustmentKey,
  by: Pick<Adjustment, 'reference' | 'reason' | 'bookedAt' | 'draftedBy'>,
): Promise<Adjustment> => {
  const original = await lock(tx, key)
  const [known] = await tx.query(findReversal, { merchantId: key.merchantId, reverses: original.id })
  if (known?.reference === by.reference) return known
  if (known) throw new Refusal('already_exists', 'The adjustment was reversed before.')
  if (original.status !== 'posted') throw invalidState(`The adjustment is ${original.status}.`)
  return addDraft(tx, reversalOf(original, { ...by, id: tx.newId(), createdAt: tx.now }))
}

/** Adjustments of the books of a mode, the newest first, from before an id. */
export const listAdjustments = (
  context: Context,
  page: Omit<Parameters<typeof selectAdjustments.encode>[0], 'serviceBook'>,
) => context.query(selectAdjustments, { ...page, serviceBook: serviceBooks[page.mode] })

export const findAdjustmentsByName = reader(findAdjustments)
