import type { Context } from '../../engine/context.ts'
import { asLoneReport } from '../../engine/members/refuse-one-person.ts'
import { type FindLone, loneOf } from '../../engine/phones/receive-messages.ts'

/** Until another operator approves a phone, its messages stand on the word of whoever alone added it. */
export const loneOfPhone = (context: Context): FindLone => loneOf((tx, by) => asLoneReport(context, tx, by))
