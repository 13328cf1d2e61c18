import type { MerchantAnswer } from '../http/operator-api/merchants.ts'
import { Failure } from './failure.ts'
import type { Session } from './session.ts'

/** Describes the argument `<merchant>`. */
export const merchantArgument = 'id or exact name of the merchant'

/** The id of the merchant with this id or exact name. */
export const findMerchantId = async (session: Session, merchant: string): Promise<string> => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(merchant)) return merchant.toLowerCase()
  const { body } = await session.get<{ merchants: MerchantAnswer[] }>('/merchants')
  const [found, ...others] = body.merchants.filter(({ name }) => name === merchant)
  if (!found) throw new Failure([`There is no merchant named "${merchant}"; payin merchants list shows them.`])
  if (others.length > 0) throw new Failure([`Several merchants are named "${merchant}"; give the id.`])
  return found.id
}

/** The same for an option that may be absent. */
export const findOptionalMerchantId = async (
  session: Session,
  merchant: string | undefined,
): Promise<string | undefined> => (merchant === undefined ? undefined : findMerchantId(session, merchant))
