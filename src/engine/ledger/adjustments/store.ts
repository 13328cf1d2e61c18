import { array, bigint, byName, instant, nullable, query, table, text, uuid, word } from 'payin-database'
import type { AdjustmentStatus } from '../../../rules/money/adjustment.ts'
import type { MerchantMode } from '../../../rules/merchants/merchant.ts'

const adjustmentRow = {
  merchantId: uuid,
  id: uuid,
  reference: text,
  debitAccount: text,
  creditAccount: text,
  currency: text,
  amount: bigint,
  reason: text,
  bookedAt: instant,
  status: word<AdjustmentStatus>(),
  draftedBy: text,
  decidedBy: nullable(text),
  createdAt: instant,
  decidedAt: nullable(instant),
}

const byReference = table('ledger_adjustments', { merchantId: uuid, reference: text })

export const insertAdjustment = byReference.insertNew('insert_ledger_adjustment', adjustmentRow)

const ledgerAdjustments = table('ledger_adjustments', { merchantId: uuid, id: uuid })

// Excludes another decision about it.
export const lockAdjustment = ledgerAdjustments.lock('lock_ledger_adjustment', adjustmentRow)

export const findAdjustmentByReference = byReference.find('find_ledger_adjustment_by_reference', adjustmentRow)

export const updateAdjustment = ledgerAdjustments.update('update_ledger_adjustment', {
  status: word<AdjustmentStatus>(),
  decidedBy: text,
  decidedAt: instant,
})

export const selectAdjustments = ledgerAdjustments.page('list_ledger_adjustments', adjustmentRow, {
  filter: { mode: word<MerchantMode>(), serviceBook: uuid, status: nullable(word<AdjustmentStatus>()) },
  where: `(merchant_id = :serviceBook or merchant_id in (select id from merchants where mode = :mode))
      and (:status is null or status = :status)`,
})

/**
 * Which of some accounts exist as the bank account of a requisite of the book's mode, or belong to a book's payments: money that
 * banks reversed, or that payers are owed.
 */
export const listAdjustableAccounts = query('list_adjustable_accounts', {
  parameters: { merchantId: uuid, accounts: array(text) },
  row: { account: text, currency: text },
  text: `select 'bank:' || id as account, currency from requisites where 'bank:' || id = any(:accounts)
      and mode = coalesce((select mode from merchants where id = :merchantId), 'live')
    union all
    select account, currency from ledger_balances
    where merchant_id = :merchantId and account = any(:accounts)
      and (account like 'reversed:%' or account like 'overpayment:%')`,
})

export const findAdjustments = byName(
  'find_ledger_adjustments',
  'ledger_adjustments',
  { merchantId: uuid, id: uuid, reference: text, status: text, currency: text, amount: bigint },
  'ledger_adjustments.reference = :typed',
)
