import type { MerchantAnswer } from '../http/operator-api/merchants.ts'
import { Failure } from './failure.ts'
import type { Session } from './session.ts'

/** The id of the merchant with this id or exact name. */
export const findMerchantId = async (session: Session, merchant: string): Promise<string> => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(merchant)) return merchant.toLowerCase()
  const { body } = await session.call<{ merchants: MerchantAnswer[] }>('GET /merchants')
  const [found, ...others] = body.merchants.filter(({ name }) => name === merchant)
  if (!found) throw new Failure([`There is no merchant named "${merchant}"; payin merchants list shows them.`])
  if (others.length > 0) throw new Failure([`Several merchants are named "${merchant}"; give the id.`])
  return found.id
}
