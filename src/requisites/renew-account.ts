import type { Context, Tx } from '../context.ts'
import { countUnsealedAccounts, listAccounts, listAccountsAfter, renewAccounts } from './store.ts'

const rowsAtOnce = 500

/** Where the number of an account is sealed that statements are bound by. */
export const accountLocation = (requisiteId: string) => ({
  table: 'statement_accounts',
  column: 'number_sealed',
  row: requisiteId,
})

/** Seals and indexes the bindings of a number with the first key; returns how many were not. */
export const renewAccount = async (tx: Tx, number: string): Promise<number> => {
  const { vault } = tx
  const numberIndexes = vault.blindIndexes('statement-account', number)
  const [numberIndex = ''] = numberIndexes
  const old = (await tx.query(listAccounts, { numberIndexes })).filter(
    (row) => row.numberIndex !== numberIndex || !row.numberSealed?.startsWith(vault.sealedPrefix),
  )
  if (old.length === 0) return 0
  const rows = old.map((row) => ({
    before: row.numberIndex,
    requisiteId: row.requisiteId,
    numberSealed: vault.encrypt(number, accountLocation(row.requisiteId)),
  }))
  await tx.query(renewAccounts, { numberIndex, rows })
  return old.length
}

/** The same for all numbers after a position; `position` is the last one, or null at the end. */
export const renewAllAccounts = async (tx: Tx, position: readonly string[] | null) => {
  const [after = '', requisiteId = '00000000-0000-0000-0000-000000000000'] = position ?? []
  const accounts = await tx.query(listAccountsAfter, { numberIndex: after, requisiteId, limit: rowsAtOnce })
  let renewed = 0
  for (const { numberSealed, requisiteId: id } of accounts) {
    if (numberSealed === null || numberSealed.startsWith(tx.vault.sealedPrefix)) continue
    renewed += await renewAccount(tx, tx.vault.decrypt(numberSealed, accountLocation(id)))
  }
  const last = accounts.at(-1)
  const isEnd = accounts.length < rowsAtOnce || last === undefined
  return { position: isEnd ? null : [last.numberIndex, last.requisiteId], seen: accounts.length, renewed }
}

/** Accounts whose number nobody can read, because they were bound before it was sealed: a statement shows it, or binding again. */
export const countUnknownAccounts = async (sql: Pick<Context, 'query'>): Promise<number> =>
  (await sql.query(countUnsealedAccounts, {}))[0]?.count ?? 0
