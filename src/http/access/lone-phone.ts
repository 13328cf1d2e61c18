import type { Context } from '../../engine/context.ts'
import { asLoneReport } from '../../engine/members/refuse-one-person.ts'
import { getPhone } from '../../engine/phones/phones.ts'
import { type FindLone, ownLone } from '../../engine/phones/receive-messages.ts'

/** Until another operator approves a phone, its messages stand on the word of whoever alone added it. */
export const loneOfPhone =
  (context: Context): FindLone =>
  async (tx, phoneId) => {
    const phone = await getPhone(tx, phoneId)
    const own = ownLone(phone)
    const lone = phone.changedBy === null ? null : await asLoneReport(context, tx, phone.changedBy)
    if (lone === null) return own
    return own.above < lone.above ? { ...own, by: lone.by } : { ...own, ...lone }
  }
