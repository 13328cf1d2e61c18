import type { Context, Tx } from '../../context.ts'
import { lockAdding } from '../../database/lock-adding.ts'
import { maskNumber } from '../../domain/masking.ts'
import { Refusal } from '../../domain/refusal.ts'
import { bankCodeLength, plainAccount } from '../../domain/statement.ts'
import { renewNumbers, claimNumbers } from '../../tenants/enter-keys.ts'
import { lockSharing, lockBindings, lockBindingsToChange } from '../store.ts'
import {
  countUnsealedAccounts,
  listAccounts,
  listAccountsAfter,
  listAccountsWithoutClaim,
  renewAccounts,
  setClaims,
  bindAccount,
  countLive,
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
const claimIndexes = (vault: Tx['vault'], number: string, codeLength: number): readonly string[] =>
  vault.blindIndexes('requisite', number.slice(codeLength))

/** Seals and indexes the bindings of a number with the first key; returns how many were not. */
export const renewAccount = async (tx: Tx, number: string): Promise<number> => {
  const { vault } = tx
  const numberIndexes = vault.blindIndexes('statement-account', number)
  const [numberIndex = ''] = numberIndexes
  const rows: { before: string; requisiteId: string; numberSealed: string; claimIndex: string }[] = []
  const changed = new Map<string, string>()
  for (const row of await tx.query(listAccounts, { numberIndexes })) {
    const [claimIndex = '', ...older] = claimIndexes(vault, number, row.bankCodeLength)
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
      const { numberIndex, requisiteId } = account
      const number = tx.vault.decrypt(numberSealed, accountLocation(requisiteId))
      const [claimIndex = ''] = claimIndexes(tx.vault, number, account.bankCodeLength)
      return [{ numberIndex, requisiteId, claimIndex }]
    })
    if (rows.length > 0) await tx.query(setClaims, { rows })
    return rows.length
  })

/** Accounts whose number nobody can read, because they were bound before it was sealed: a statement shows it, or binding again. */
export const countUnknownAccounts = async (sql: Pick<Context, 'query'>): Promise<number> =>
  (await sql.query(countUnsealedAccounts, {}))[0]?.count ?? 0

/** Claims the number as those of live requisites are: money on an account must not be recorded in two tenants. */
const claim = async (tx: Tx, indexes: readonly string[], requisiteIds: readonly string[]): Promise<void> => {
  const [live] = await tx.query(countLive, { ids: requisiteIds })
  if (live?.count === 0) return
  const [numberIndex = '', ...olderIndexes] = indexes
  if (olderIndexes.length > 0) await lockAdding(tx, 'account numbers')
  const foreign = await claimNumbers(tx, [{ numberIndex, olderIndexes }])
  if (foreign.length === 0) return
  throw new Refusal('already_exists', 'This number belongs to another tenant; nothing was bound.', {
    errors: [{ field: 'number', code: 'already_exists', message: 'belongs to another tenant.' }],
  })
}

/**
 * Binds an account's number to requisites in their order, and to no others any more; answers it masked. Refuses
 * `already_exists` where the number belongs to another tenant.
 */
export const bindNumber = async (tx: Tx, number: string, requisiteIds: readonly string[]): Promise<string> => {
  const plain = plainAccount(number)
  const bankCode = bankCodeLength(number)
  const indexes = claimIndexes(tx.vault, plain, bankCode)
  await claim(tx, indexes, requisiteIds)
  await renewAccount(tx, plain)
  const numberIndex = tx.vault.blindIndex('statement-account', plain)
  const numberMasked = maskNumber(number)
  const rows = requisiteIds.map((requisiteId) => ({
    requisiteId,
    numberSealed: tx.vault.encrypt(plain, accountLocation(requisiteId)),
  }))
  const [claimIndex = ''] = indexes
  await tx.query(bindAccount, { numberIndex, numberMasked, bankCodeLength: bankCode, claimIndex, rows, now: tx.now })
  return numberMasked
}

/** Keeps the accounts of statements bound as they are until the transaction ends; another one that wants this waits. */
export const holdBindings = async (tx: Tx): Promise<void> => {
  await tx.query(lockBindings, {})
}

/** As `holdBindings`; waits for all who are recording money, see `holdSharing`, and lets none begin. */
export const holdBindingsToChange = async (tx: Tx): Promise<void> => {
  await tx.query(lockBindingsToChange, {})
}

/** As `listSharing`, and keeps the bindings as they are until the transaction ends; others who want this do not wait. */
export const holdSharing = async (
  tx: Tx,
  requisiteIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const rows = await tx.query(lockSharing, { requisiteIds: [...new Set(requisiteIds)] })
  return new Map(rows.map((row) => [row.requisiteId, row.others]))
}
