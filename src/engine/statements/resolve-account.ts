import type { Context } from '../context.ts'
import { maskNumber } from '../../rules/values/masking.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import { accountSpellings } from '../../rules/statements/statement.ts'
import { findBookedElsewhere, indexesOf } from './account-numbers.ts'
import { requisitePool } from '../requisites/requisite-pool.ts'
import { findRequisitesByNumber, listBoundRequisites, listSharing } from '../requisites/read.ts'

type ResolvedAccount = { readonly requisite: Requisite; readonly isChosen: boolean } | { readonly reason: string }

/** Most accounts per file whose requisites are remembered. */
const maxRemembered = 10_000

const describe = (account: string | null): string =>
  account === null ? 'the account' : `the account ${maskNumber(account)}`

/** The requisites with the number of an account, if any in its currency. */
const findByNumber = async (
  context: Context,
  spellings: readonly string[],
  currency: string | null,
): Promise<string[]> => {
  const rows = await findRequisitesByNumber(context, spellings)
  const same = rows.filter((row) => currency === null || row.currency === currency)
  return (same.length > 0 ? same : rows).map((row) => row.id)
}

/** How operators name a requisite. */
export const nameOfRequisite = async (context: Context, id: string): Promise<string> => {
  const found = (await context.catalog.get(requisitePool)).byId.get(id)
  return found?.label ?? found?.numberMasked ?? id
}

/**
 * Finds the requisites of a file's accounts: bound, with their numbers, or chosen, for one account only; with
 * `onlyUnnamed`, only for one that the file does not name.
 */
export const resolveAccount = (context: Context, wanted: string | null, onlyUnnamed = false) => {
  const known = new Map<string, ResolvedAccount>()
  let chosenFor: string | undefined

  const byChoice = async (account: string | null): Promise<ResolvedAccount> => {
    const chosen = onlyUnnamed && account !== null ? null : wanted
    if (chosen === null) {
      const reason =
        account === null
          ? 'The file does not name its account: choose the requisite that it is for.'
          : `No requisite has ${describe(account)}: bind the account to a requisite, or choose one for this file.`
      return { reason }
    }
    const first = (await listSharing(context, [chosen])).get(chosen)?.[0]
    const requisite = (await context.catalog.get(requisitePool)).byId.get(first ?? chosen)
    if (!requisite) return { reason: 'The requisite that was chosen for the file is not known: choose another one.' }
    chosenFor ??= account ?? ''
    if (chosenFor !== (account ?? ''))
      return {
        reason: `The file has several accounts that no requisite has, among them ${describe(account)}: bind each to a requisite.`,
      }
    return { requisite, isChosen: true }
  }

  const byNumber = async (ids: readonly string[], account: string): Promise<ResolvedAccount> => {
    const sharing = await listSharing(context, ids)
    const firsts = new Set(ids.map((id) => sharing.get(id)?.[0] ?? id))
    const { byId } = await context.catalog.get(requisitePool)
    const [requisite, ...others] = [...firsts].flatMap((id) => byId.get(id) ?? [])
    if (!requisite)
      return {
        reason: `The requisite of ${describe(account)} is not known: bind the account to another one.`,
      }
    if (others.length > 0)
      return {
        reason: `Several requisites have ${describe(account)}: choose the one that this file is for.`,
      }
    return { requisite, isChosen: false }
  }

  const resolve = async (account: string | null, currency: string | null): Promise<ResolvedAccount> => {
    if (account === null) return byChoice(account)
    const spellings = accountSpellings(account)
    // If requisites share the account, its money belongs to the first one.
    const [bound] = await listBoundRequisites(context, spellings)
    if (bound) return byNumber([bound.requisiteId], account)
    const found = await findByNumber(context, spellings, currency)
    const resolved =
      found.length === 0
        ? await byChoice(account)
        : await byNumber(wanted !== null && found.includes(wanted) ? [wanted] : found, account)
    if ('reason' in resolved) return resolved
    const numberIndexes = indexesOf(context.vault, spellings)
    const elsewhere = await findBookedElsewhere(context, numberIndexes, resolved.requisite)
    if (elsewhere === undefined) return resolved
    const reason = `Imported files have booked the money of ${describe(account)} on the requisite "${await nameOfRequisite(context, elsewhere)}": choose that one, bind the account to it, or withdraw those files first.`
    return { reason }
  }

  return async (account: string | null, currency: string | null): Promise<ResolvedAccount> => {
    const key = JSON.stringify([account, currency])
    const resolved = known.get(key) ?? (await resolve(account, currency))
    if (known.size < maxRemembered) known.set(key, resolved)
    return resolved
  }
}
