import type { Context, Tx } from '../context.ts'
import { type Instant, minute } from '../domain/time.ts'
import {
  deleteClaims,
  findDirectory,
  findTenantRow,
  insertEntries,
  listClaims,
  listEntriesOf,
  listOwnNumbers,
  lockClaims,
  lockNumbers,
} from './store.ts'

type Difference = {
  /**
   * Claimed for the tenant, but not a number of its accounts: the claiming transaction has failed, or is not committed
   * yet. With that transaction.
   */
  readonly stale: ReadonlyMap<string, string>
  /** Numbers of accounts that are not claimed. */
  readonly missing: readonly string[]
}

const nothing: Difference = { stale: new Map(), missing: [] }

const compareClaims = (context: Context): Promise<Difference> =>
  context.transaction(async (tx) => {
    const [directory] = await tx.directory.query(findDirectory, {})
    if (!directory?.exists) return nothing
    // In this order: a claim comes before its account.
    const claims = await tx.directory.query(listClaims, { tenant: tx.tenant })
    const numbers = await tx.query(listOwnNumbers, {})
    const claimed = new Set(claims.map(({ key }) => key))
    const own = new Set(numbers.map(({ key }) => key))
    return {
      stale: new Map(claims.flatMap(({ key, claimedBy }) => (own.has(key) ? [] : [[key, claimedBy]]))),
      missing: [...own].filter((key) => !claimed.has(key)),
    }
  })

/**
 * Frees those of these numbers that still belong to no account. Whoever adds an account holds the table from before the
 * claim to the end, so its account is visible here, or it claims the number after this. If the directory is on another
 * server, changes there are committed immediately, and the lock may be lost with the connection: querying the accounts
 * proves that it was held until then, and a number claimed since is left alone.
 */
const freeNumbers = async (tx: Tx, keys: readonly string[]): Promise<number> => {
  const { tenant } = tx
  await tx.query(lockNumbers, {})
  const claims = await tx.directory.query(lockClaims, { tenant, keys })
  const own = new Set((await tx.query(listOwnNumbers, {})).map(({ key }) => key))
  const rows = claims.filter(({ key }) => !own.has(key))
  return rows.length === 0 ? 0 : (await tx.directory.query(deleteClaims, { tenant, rows })).length
}

/** Numbers that belong to another tenant are left alone: writing them again would hide that they are stale. */
const claimMissing = (context: Context, missing: readonly string[]): Promise<void> =>
  context.transaction(async ({ directory, tenant }) => {
    const taken = await directory.query(listEntriesOf, { kind: 'number', keys: missing })
    const others = new Set(taken.map(({ key }) => key))
    const rows = missing.filter((key) => !others.has(key)).map((key) => ({ key }))
    if (rows.length > 0) await directory.query(insertEntries, { kind: 'number', tenant, rows })
  })

/** No transaction lasts this long: a claim that was already stale belongs to one that has failed. */
const patienceMs = 5 * minute

const lastRounds = new WeakMap<Context, { readonly at: Instant; readonly stale: ReadonlyMap<string, string> }>()

/**
 * Frees numbers that are claimed for a tenant but have belonged to no account for some minutes. Claims its own
 * unclaimed numbers. Returns how many it freed.
 */
export const freeStaleNumbers = async (context: Context): Promise<number> => {
  const last = lastRounds.get(context)
  const at = context.clock()
  if (last && at < last.at + patienceMs) return 0
  const { stale, missing } = await compareClaims(context)
  lastRounds.set(context, { at, stale })
  const keys = [...stale].flatMap(([key, claimedBy]) => (last?.stale.get(key) === claimedBy ? [key] : []))
  if (missing.length > 0) await claimMissing(context, missing)
  return keys.length === 0 ? 0 : context.transaction((tx) => freeNumbers(tx, keys))
}

/** Other tenants that have these numbers; none for a retired tenant, in which nothing is recorded. */
const listOtherTenants = async (context: Context, keys: readonly string[]): Promise<string[]> => {
  if (keys.length === 0) return []
  return context.transaction(async ({ directory, tenant: name }) => {
    const [own] = await directory.query(findTenantRow, { name })
    if (own?.state === 'retired') return []
    const taken = await directory.query(listEntriesOf, { kind: 'number', keys })
    return taken.map(({ tenant }) => tenant).filter((tenant) => tenant !== name)
  })
}

/**
 * The doctor's findings about unneeded claims, and about numbers that another tenant also has, which is named only if
 * `namesOthers`.
 */
export const adviseOnNumbers = async (context: Context, namesOthers: boolean): Promise<string[]> => {
  const { tenant } = context
  const { stale, missing } = await compareClaims(context)
  const foreign = await listOtherTenants(context, missing)
  const others = namesOthers ? [...new Set(foreign)].join(' and ') : 'another tenant'
  const notes: string[] = []
  if (stale.size > 0)
    notes.push(
      `Numbers claimed for the tenant ${tenant} that none of its accounts has: ${stale.size}. Other tenants cannot have them until workers free them, within half an hour.`,
    )
  if (foreign.length > 0)
    notes.push(
      `Numbers of accounts of the tenant ${tenant} that ${others} has as well: ${foreign.length}. What a bank reports for them may be recorded twice: bind them to other requisites in one of the tenants.`,
    )
  return notes
}
