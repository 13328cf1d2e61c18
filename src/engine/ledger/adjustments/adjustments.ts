import type { Context, Tx } from '../../context.ts'
import {
  type Adjustment,
  adjustmentAfter,
  isAdjustable,
  isOverpayment,
  postAdjustment,
} from '../../../rules/money/adjustment.ts'
import { reader } from 'payin-database'
import { serviceBooks } from '../../../rules/money/ledger.ts'
import { Refusal, refuseField, requireRow } from '../../../rules/refusal.ts'
import { postEntries } from '../post-entries.ts'
import { lockOwed } from '../read.ts'
import {
  findAdjustmentByReference,
  findAdjustments,
  insertAdjustment,
  listAdjustableAccounts,
  lockAdjustment,
  selectAdjustments,
  updateAdjustment,
} from './store.ts'

type NewAdjustment = Omit<Adjustment, 'id' | 'status' | 'decidedBy' | 'decidedAt' | 'createdAt'>

const checkAccounts = async (tx: Tx, wanted: NewAdjustment): Promise<void> => {
  const { merchantId, currency, debitAccount, creditAccount } = wanted
  const known = await tx.query(listAdjustableAccounts, { merchantId, accounts: [debitAccount, creditAccount] })
  for (const field of ['debitAccount', 'creditAccount'] as const) {
    const name = wanted[field]
    const other = field === 'debitAccount' ? creditAccount : debitAccount
    const isKnown = known.some((each) => each.account === name && each.currency === currency)
    const mustBeKnown = /^(bank|reversed|overpayment):/.test(name)
    if ((mustBeKnown && !isKnown) || !isAdjustable(name, other, merchantId, currency)) {
      throw refuseField(field, `is not an account that adjustments may use in ${currency}.`)
    }
  }
  if (debitAccount === creditAccount) {
    throw refuseField('creditAccount', 'must differ from debitAccount.')
  }
}

const isSame = (existing: Adjustment, wanted: NewAdjustment): boolean =>
  existing.debitAccount === wanted.debitAccount &&
  existing.creditAccount === wanted.creditAccount &&
  existing.currency === wanted.currency &&
  existing.amount === wanted.amount

/**
 * Drafts an adjustment; nothing is posted until another operator agrees. Repeating a reference returns the same
 * adjustment, as after a concurrent submit of the same form. Refuses `already_exists` if the reference belongs to
 * another one, and `validation_failed`.
 */
export const draftAdjustment = async (tx: Tx, wanted: NewAdjustment): Promise<Adjustment> => {
  await checkAccounts(tx, wanted)
  const open = { id: tx.newId(), status: 'draft', decidedBy: null, decidedAt: null } as const
  const drafted = { ...wanted, ...open, createdAt: tx.now }
  if ((await tx.query(insertAdjustment, drafted)).length > 0) return drafted
  const { merchantId, reference } = wanted
  const [existing] = await tx.query(findAdjustmentByReference, { merchantId, reference })
  if (existing && isSame(existing, wanted)) return existing
  throw new Refusal('already_exists', `The reference ${reference} belongs to another adjustment.`)
}

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
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
  status: 'posted' | 'rejected',
  actor: string,
): Promise<Adjustment> => {
  const before = requireRow(await tx.query(lockAdjustment, { merchantId, id }), 'adjustment')
  const after = adjustmentAfter(before, status, actor, tx.now)
  if (after instanceof Refusal) throw after
  if (after === before) return before
  await tx.query(updateAdjustment, { merchantId, id, status, decidedBy: actor, decidedAt: tx.now })
  if (status === 'posted') await refuseMoreThanOwed(tx, after)
  if (status === 'posted') await postEntries(tx, [[postAdjustment(after)]])
  return after
}

/** Adjustments of the books of a mode, the newest first, from before an id. */
export const listAdjustments = (
  context: Context,
  page: Omit<Parameters<typeof selectAdjustments.encode>[0], 'serviceBook'>,
) => context.query(selectAdjustments, { ...page, serviceBook: serviceBooks[page.mode] })

export const findAdjustmentsByName = reader(findAdjustments)
