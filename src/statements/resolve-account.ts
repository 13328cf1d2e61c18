import type { Context } from '../context.ts'
import { maskNumber } from '../domain/masking.ts'
import type { Requisite } from '../domain/requisite.ts'
import { accountSpellings } from '../domain/statement.ts'
import { findRequisitesByNumber, listSharing, listBoundRequisites } from '../requisites/read.ts'
import { requisitePool } from '../requisites/requisite-pool.ts'

/** The requisite that an account of a statement is, or why it is none. */
export type ResolvedAccount =
  | {
      readonly requisite: Requisite
      /** Whether nothing but the choice for the file says so. */
      readonly isChosen?: true
    }
  | { readonly reason: string }

/** How an account of a statement is shown to people. */
export const shownAccount = (account: string | null): string =>
  account === null ? 'the account' : `the account ${maskNumber(account)}`

/**
 * Finds the requisites of the accounts of one file: by their numbers, by what operators have bound, else the one that was
 * chosen for the file, which can stand for one account only.
 */
export const resolveAccount = (context: Context, chosen: string | null) => {
  const known = new Map<string, ResolvedAccount>()
  let standsFor: string | undefined

  const byChoice = async (account: string | null, pool: ReadonlyMap<string, Requisite>): Promise<ResolvedAccount> => {
    if (chosen === null) {
      const reason =
        account === null
          ? 'The file does not name its account: choose the requisite that it is for.'
          : `No requisite has ${shownAccount(account)}: bind the account to a requisite, or choose one for this file.`
      return { reason }
    }
    const first = (await listSharing(context, [chosen])).get(chosen)?.[0]
    const requisite = pool.get(first ?? chosen)
    if (!requisite) return { reason: 'The requisite that was chosen for the file is not known.' }
    standsFor ??= account ?? ''
    if (standsFor !== (account ?? ''))
      return { reason: `The file has several accounts that no requisite has, among them ${shownAccount(account)}.` }
    return { requisite, isChosen: true }
  }

  const resolve = async (account: string | null, currency: string | null): Promise<ResolvedAccount> => {
    const pool = (await context.catalog.get(requisitePool)).byId
    if (account === null) return byChoice(account, pool)
    const spellings = accountSpellings(account)
    // Of requisites that share the account, its money is the first one's.
    const bound = (await listBoundRequisites(context, spellings)).slice(0, 1).map((each) => each.requisiteId)
    const found = bound.length > 0 ? bound : await numbered(spellings, currency)
    if (chosen !== null && found.includes(chosen)) return byNumber([chosen], pool, account)
    return found.length > 0 ? byNumber(found, pool, account) : byChoice(account, pool)
  }

  const numbered = async (spellings: readonly string[], currency: string | null): Promise<string[]> => {
    const rows = await findRequisitesByNumber(context, spellings)
    const same = rows.filter((row) => currency === null || row.currency === currency)
    return (same.length > 0 ? same : rows).map((row) => row.id)
  }

  const byNumber = async (
    ids: readonly string[],
    pool: ReadonlyMap<string, Requisite>,
    account: string | null,
  ): Promise<ResolvedAccount> => {
    const sharing = await listSharing(context, ids)
    const firsts = new Set(ids.map((id) => sharing.get(id)?.[0] ?? id))
    const [requisite, ...others] = [...firsts].flatMap((id) => pool.get(id) ?? [])
    if (!requisite) return { reason: `The requisite of ${shownAccount(account)} is not known.` }
    if (others.length > 0)
      return { reason: `Several requisites have ${shownAccount(account)}: choose the one that this file is for.` }
    return { requisite }
  }

  return async (account: string | null, currency: string | null): Promise<ResolvedAccount> => {
    const key = JSON.stringify([account, currency])
    const answer = known.get(key) ?? (await resolve(account, currency))
    if (known.size < 10_000) known.set(key, answer)
    return answer
  }
}
