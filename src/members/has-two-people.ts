import type { Context, Tx } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { type Duty, duties, type Role } from '../domain/role.ts'
import { day } from '../domain/time.ts'
import { countPeople } from './store.ts'

/** The duties of those who move money, or decide where it goes. */
export const moneyDuties = ['decide', 'reconcile', 'account', 'configure'] as const satisfies readonly Duty[]

/**
 * Where the accounts of `main` are read during a transaction. In another tenant's on the embedded engine, which runs one
 * transaction at a time, they cannot be: undefined.
 */
export const queryMain = (main: Context, tx: Tx): Queryable | undefined => {
  if (tx.tenant === main.tenant) return tx
  return main.engine === 'embedded' ? undefined : main
}

/**
 * Whether an installation has two people who may each do what belongs to one of some duties: then the bounds of what one
 * person may do alone apply without a setting. Counts tokens, or accounts that are old enough to be a second person (see
 * `refuseOnePerson`). `main` has the accounts.
 */
export const hasTwoPeople = async (main: Context, tx: Tx, wanted: readonly Duty[]): Promise<boolean> => {
  const roles = new Set<Role>(wanted.flatMap((duty) => duties[duty]))
  if (main.operators.filter(({ role }) => roles.has(role)).length > 1) return true
  const before = tx.now - main.settings.secondPersonAgeDays * day
  const [counted] = (await queryMain(main, tx)?.query(countPeople, { roles: [...roles], before })) ?? []
  return (counted?.people ?? 0) > 1
}
