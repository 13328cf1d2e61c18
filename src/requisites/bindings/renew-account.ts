import type { Context, Tx } from '../../context.ts'
import { renewNumbers } from '../../tenants/enter-keys.ts'
import {
  countUnsealedAccounts,
  listAccounts,
  listAccountsAfter,
  listAccountsWithoutClaim,
  renewAccounts,
  setClaims,
} from './store.ts'

const rowsAtOnce = 500

/** Where the number of an account is sealed that statements are bound by. */
export const accountLocation = (requisiteId: string) => ({
  table: 'statement_accounts',
  column: 'number_sealed',
  row: requisiteId,
})

/**
 * The keyed hashes of an account's number as those of requisites are made, the first key's first: without the code of its bank,
 * because a statement may show either. By them the directory knows whose the number is.
 */
export const claimIndexes = (
  vault: Tx['vault'],
  { number, bankCodeLength }: { readonly number: string; readonly bankCodeLength: number },
): readonly string[] => vault.blindIndexes('requisite', number.slice(bankCodeLength))

/** Seals and indexes the bindings of a number with the first key; returns how many were not. */
export const renewAccount = async (tx: Tx, number: string): Promise<number> => {
  const { vault } = tx
  const numberIndexes = vault.blindIndexes('statement-account', number)
  const [numberIndex = ''] = numberIndexes
  const rows: { before: string; requisiteId: string; numberSealed: string; claimIndex: string }[] = []
  const changed = new Map<string, string>()
  for (const row of await tx.query(listAccounts, { numberIndexes })) {
    const [claimIndex = '', ...older] = claimIndexes(vault, { number, bankCodeLength: row.bankCodeLength })
    const isSealed = row.numberSealed?.startsWith(vault.sealedPrefix) ?? false
    if (isSealed && row.numberIndex === numberIndex && row.claimIndex === claimIndex) continue
    const { requisiteId } = row
    const numberSealed = vault.encrypt(number, accountLocation(requisiteId))
    rows.push({ before: row.numberIndex, requisiteId, numberSealed, claimIndex })
    for (const before of older) changed.set(before, claimIndex)
  }
  if (rows.length === 0) return 0
  await tx.query(renewAccounts, { numberIndex, rows })
  await renewNumbers(
    tx,
    [...changed].map(([before, after]) => ({ before, after })),
  )
  return rows.length
}

/** The same for all numbers after a position; `position` is the last one, or null at the end. */
export const renewAllAccounts = async (tx: Tx, position: readonly string[] | null) => {
  const [after = '', requisiteId = '00000000-0000-0000-0000-000000000000'] = position ?? []
  const accounts = await tx.query(listAccountsAfter, { numberIndex: after, requisiteId, limit: rowsAtOnce })
  let renewed = 0
  for (const { numberSealed, requisiteId: id } of accounts)
    if (numberSealed !== null) renewed += await renewAccount(tx, tx.vault.decrypt(numberSealed, accountLocation(id)))
  const last = accounts.at(-1)
  const isEnd = accounts.length < rowsAtOnce || last === undefined
  return { position: isEnd ? null : [last.numberIndex, last.requisiteId], seen: accounts.length, renewed }
}

/** Notes for accounts that were bound before that was done by what their numbers are claimed; returns for how many. */
export const noteClaims = (context: Context): Promise<number> =>
  context.transaction(async (tx) => {
    const accounts = await tx.query(listAccountsWithoutClaim, { limit: rowsAtOnce })
    const rows = accounts.flatMap(({ numberSealed, ...account }) => {
      if (numberSealed === null) return []
      const { numberIndex, requisiteId, bankCodeLength } = account
      const number = tx.vault.decrypt(numberSealed, accountLocation(requisiteId))
      return [{ numberIndex, requisiteId, claimIndex: claimIndexes(tx.vault, { number, bankCodeLength })[0] ?? '' }]
    })
    if (rows.length > 0) await tx.query(setClaims, { rows })
    return rows.length
  })

/** Accounts whose number nobody can read, because they were bound before it was sealed: a statement shows it, or binding again. */
export const countUnknownAccounts = async (sql: Pick<Context, 'query'>): Promise<number> =>
  (await sql.query(countUnsealedAccounts, {}))[0]?.count ?? 0
