import type { Context } from '../context.ts'
import { claimServiceState } from '../service-state.ts'
import { requisitePool } from '../requisites/requisite-pool.ts'
import { forward, phoneOf } from './report-by-message.ts'

/**
 * Money that nobody expects, money that went out, and a text that no template has: somebody may teach what it says. The sums
 * are none that anybody tries a payment with: its simulated money would be taken for the same.
 */
const textsOf = (digits: string): readonly string[] => [
  `СЧЁТ${digits} Перевод по СБП 1483.27р от Иван П. Баланс: 9483.27р`,
  `СЧЁТ${digits} 12:30 Покупка 350р KOFEYNYA Баланс: 9133.27р`,
  `СЧЁТ${digits} получил 912.40р от Мария К. Теперь там 10045.67р`,
]

/** Gives the demo a phone with messages, once however many processes start. */
export const seedDemoPhone = async (context: Context): Promise<void> => {
  const claim = context.newId()
  const isOurs = await context.transaction(async (tx) => (await claimServiceState(tx, 'demo-phone', claim)) === claim)
  if (!isOurs) return
  const { byId } = await context.catalog.get(requisitePool)
  const account = byId
    .values()
    .find(({ mode, method, currency }) => mode === 'sandbox' && method === 'sbp' && currency === 'rub')
  if (!account) return
  const { phoneId, digits } = await phoneOf(context, account.id)
  for (const [index, text] of textsOf(digits).entries()) await forward(context, phoneId, text, `demo-${index}`)
}
