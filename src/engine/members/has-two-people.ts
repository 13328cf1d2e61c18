import type { Context, Tx } from '../context.ts'
import { type Duty, duties, type Role } from '../../rules/members/role.ts'
import { day, windowAround } from '../../rules/time.ts'
import { countPeople } from './store.ts'

/** The duties of those who move money, or decide where it goes. */
export const moneyDuties = ['decide', 'reconcile', 'account', 'configure'] as const satisfies readonly Duty[]

/**
 * Whether an installation has two people who may each do what belongs to one of some duties: then the bounds of what one
 * person may do alone apply without a setting. Counts tokens, or accounts that are old enough to be a second person (see
 * `refuseOnePerson`).
 */
export const hasTwoPeople = async (context: Context, tx: Tx, wanted: readonly Duty[]): Promise<boolean> => {
  const roles = new Set<Role>(wanted.flatMap((duty) => duties[duty]))
  if (context.operators.filter(({ role }) => roles.has(role)).length > 1) return true
  const young = windowAround(tx.now, context.settings.secondPersonAgeDays * day)
  const [counted] = await tx.query(countPeople, { roles: [...roles], ...young })
  return (counted?.people ?? 0) > 1
}
