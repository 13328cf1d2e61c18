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
  /** Claimed for the tenant, and of none of its accounts: what claimed it has failed, or is not committed yet. With who did. */
  readonly stale: ReadonlyMap<string, string>
  /** Of an account, and not claimed. */
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
 * Frees those of these numbers that are of no account still. Who adds an account holds the table from before the claim to its
 * end, so its account is seen here, or it claims the number after this. Where the directory is on another server, what is done there is
 * committed at once, and the lock may be lost with the connection: asking for the accounts shows that it was held until then, and
 * a number that was claimed since is left alone.
 */
const freeNumbers = async (tx: Tx, keys: readonly string[]): Promise<number> => {
  const { tenant } = tx
  await tx.query(lockNumbers, {})
  const claims = await tx.directory.query(lockClaims, { tenant, keys })
  const own = new Set((await tx.query(listOwnNumbers, {})).map(({ key }) => key))
  const rows = claims.filter(({ key }) => !own.has(key))
  return rows.length === 0 ? 0 : (await tx.directory.query(deleteClaims, { tenant, rows })).length
}

/** What belongs to another tenant is left alone: written again, it would not be found stale. */
const claimMissing = (context: Context, missing: readonly string[]): Promise<void> =>
  context.transaction(async ({ directory, tenant }) => {
    const taken = await directory.query(listEntriesOf, { kind: 'number', keys: missing })
    const others = new Set(taken.map(({ key }) => key))
    const rows = missing.filter((key) => !others.has(key)).map((key) => ({ key }))
    if (rows.length > 0) await directory.query(insertEntries, { kind: 'number', tenant, rows })
  })

/** No transaction lasts this long: a claim that was stale before is that of one which has failed. */
const patienceMs = 5 * minute

const lastRounds = new WeakMap<Context, { readonly at: Instant; readonly stale: ReadonlyMap<string, string> }>()

/**
 * Frees numbers that are claimed for a tenant and are of none of its accounts, once they have been so for some minutes.
 * Claims what is its own and is not claimed. Returns how many it freed.
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

/** Tenants that have these numbers as well; for a retired tenant none, as nothing is recorded in it. */
const listForeign = async (context: Context, keys: readonly string[]): Promise<string[]> => {
  if (keys.length === 0) return []
  return context.transaction(async ({ directory, tenant: name }) => {
    const [own] = await directory.query(findTenantRow, { name })
    if (own?.state === 'retired') return []
    const taken = await directory.query(listEntriesOf, { kind: 'number', keys })
    return taken.map(({ tenant }) => tenant).filter((tenant) => tenant !== name)
  })
}

/** What the doctor says of claims that nothing needs, and of numbers that another tenant has as well. */
export const adviseOnNumbers = async (context: Context): Promise<string[]> => {
  const { tenant } = context
  const { stale, missing } = await compareClaims(context)
  const foreign = await listForeign(context, missing)
  const notes: string[] = []
  if (stale.size > 0)
    notes.push(
      `Numbers claimed for the tenant ${tenant} that none of its accounts has: ${stale.size}. Other tenants cannot have them until workers free them, within half an hour.`,
    )
  if (foreign.length > 0)
    notes.push(
      `Numbers of accounts of the tenant ${tenant} that ${[...new Set(foreign)].join(' and ')} has as well: ${foreign.length}. What a bank reports for them may be recorded twice: bind them to other requisites in one of the tenants.`,
    )
  return notes
}
