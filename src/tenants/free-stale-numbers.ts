import type { Context } from '../context.ts'
import { type Instant, minute } from '../domain/time.ts'
import { deleteClaims, findDirectory, insertEntries, listClaims, listOwnNumbers } from './store.ts'

type Difference = {
  /** Claimed for the tenant, and of none of its accounts: what claimed it has failed, or is not committed yet. */
  readonly stale: readonly string[]
  /** Of an account, and not claimed. */
  readonly missing: readonly string[]
}

const compareClaims = (context: Context): Promise<Difference> =>
  context.transaction(async (tx) => {
    const [directory] = await tx.directory.query(findDirectory, {})
    if (!directory?.exists) return { stale: [], missing: [] }
    // In this order: a claim comes before its account.
    const claims = await tx.directory.query(listClaims, { tenant: tx.tenant })
    const numbers = await tx.query(listOwnNumbers, {})
    const [claimed, own] = [claims, numbers].map((rows) => new Set(rows.map(({ key }) => key)))
    return {
      stale: [...(claimed ?? [])].filter((key) => !own?.has(key)),
      missing: [...(own ?? [])].filter((key) => !claimed?.has(key)),
    }
  })

/** No transaction lasts this long: a claim that was stale before is that of one which has failed. */
const patienceMs = 5 * minute

const lastRounds = new WeakMap<Context, { readonly at: Instant; readonly stale: ReadonlySet<string> }>()

/**
 * Frees numbers that are claimed for a tenant and are of none of its accounts, once they have been so for some minutes.
 * Claims what is its own and is not claimed. Returns how many it freed.
 */
export const freeStaleNumbers = async (context: Context): Promise<number> => {
  const last = lastRounds.get(context)
  const at = context.clock()
  if (last && at < last.at + patienceMs) return 0
  const { stale, missing } = await compareClaims(context)
  lastRounds.set(context, { at, stale: new Set(stale) })
  const keys = stale.filter((key) => last?.stale.has(key))
  if (keys.length === 0 && missing.length === 0) return 0
  await context.transaction(async (tx) => {
    const { tenant } = tx
    if (keys.length > 0) await tx.directory.query(deleteClaims, { tenant, keys })
    const rows = missing.map((key) => ({ key }))
    if (rows.length > 0) await tx.directory.query(insertEntries, { kind: 'number', tenant, rows })
  })
  return keys.length
}

/** What the doctor says of claims that nothing needs. */
export const adviseOnStaleNumbers = async (context: Context): Promise<string[]> => {
  const { stale } = await compareClaims(context)
  if (stale.length === 0) return []
  return [
    `${stale.length} number(s) are claimed for the tenant ${context.tenant} and are of none of its accounts, so that other tenants cannot have them. Workers free them within half an hour.`,
  ]
}
