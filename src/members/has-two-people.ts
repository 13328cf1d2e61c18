import type { Context, Tx } from '../context.ts'
import { type Duty, duties, mayDo } from '../domain/role.ts'
import { day } from '../domain/time.ts'
import { countPeople } from './store.ts'

/**
 * Whether an installation has two people who may each do what belongs to a duty: then the bounds of what one person may
 * do alone apply without a setting. Counts tokens, or accounts that are old enough to be a second person (see
 * `refuseOnePerson`). `main` has the accounts.
 */
export const hasTwoPeople = async (main: Context, tx: Tx, duty: Duty): Promise<boolean> => {
  if (main.operators.filter(({ role }) => mayDo(role, duty)).length > 1) return true
  const before = tx.now - main.settings.secondPersonAgeDays * day
  const [counted] = await (tx.tenant === main.tenant ? tx : main).query(countPeople, {
    roles: [...duties[duty]],
    before,
  })
  return (counted?.people ?? 0) > 1
}
