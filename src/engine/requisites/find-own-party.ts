import type { OrderParty } from 'bank-files/pure'
import { bankOf } from '../../rules/requisites/recipient.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import { isOrderAccount, orderBank } from '../../rules/transfers/refund-file.ts'
import type { Context } from '../context.ts'
import { findStatementNumbers } from './bindings/binding.ts'
import { bankIssuers } from './bank-issuers.ts'
import { revealNumber, revealRecipient } from './requisite-pool.ts'

/**
 * The owner of a requisite with its account, as files of its bank name it: its own number or, if money reaches it by a
 * card or phone, that of its statements. A text says why that is not certain.
 */
export const findOwnParty = async (context: Context, requisite: Requisite): Promise<OrderParty | string> => {
  const recipient = revealRecipient(context.vault, requisite)
  const numbers = [revealNumber(context.vault, requisite), ...(await findStatementNumbers(context, requisite.id))]
  const [account = null, ...others] = [...new Set(numbers.filter(isOrderAccount))]
  if (others.length > 0 && account !== numbers[0]) return 'It has the statements of several accounts.'
  const issuer = (await context.catalog.get(bankIssuers)).get(requisite.bankIssuer)
  const bank = { name: issuer?.name ?? '', ...bankOf(recipient, issuer) }
  return {
    ...{ name: requisite.holder, account, bank: orderBank(account, bank) },
    ...{ taxNumber: recipient.inn, taxReason: recipient.kpp },
  }
}
