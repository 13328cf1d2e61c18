import { getEntries } from '../../src/ledger/get-entries.ts'
import type { TestService } from './service.ts'

/** The ledger of a payment as lines `debit → credit amount currency`, with the ids of requisite, payment and merchant named. */
export const ledgerOf = async (
  service: TestService,
  payment: { readonly merchantId: string; readonly id: string; readonly requisiteId: string },
): Promise<string[]> => {
  const named = (account: string): string =>
    account
      .replace(payment.requisiteId, 'requisite')
      .replace(payment.id, 'payment')
      .replace(payment.merchantId, 'merchant')
  const entries = await getEntries(service.context, payment.merchantId, payment.id)
  return entries
    .map((entry) => `${named(entry.debitAccount)} → ${named(entry.creditAccount)} ${entry.amount} ${entry.currency}`)
    .toSorted()
}
