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

/** Where the account number by which statements are bound is sealed. */
const accountLocation = (requisiteId: string) => ({
  table: 'statement_accounts',
  column: 'number_sealed',
  row: requisiteId,
})

/**
 * The keyed hashes of an account's number, computed as for requisites, the first key's first: without the bank's code,
 * because a statement may show the number with or without it. They tell the directory whose the number is.
 */
const claimIndexes = (vault: Tx['vault'], number: string, codeLength: number): readonly string[] =>
  vault.blindIndexes('requisite', number.slice(codeLength))

/** Seals and indexes the bindings of a number with the first key; returns how many did not have that yet. */
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

/** Stores the claimed hashes of accounts that were bound before these were stored; returns for how many. */
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

/**
 * How many bound accounts have a number that nobody can read, because they were bound before numbers were sealed: a
 * statement or a new binding reveals it.
 */
export const countUnknownAccounts = async (sql: Pick<Context, 'query'>): Promise<number> =>
  (await sql.query(countUnsealedAccounts, {}))[0]?.count ?? 0

/** Claims the number, as for live requisites: money on an account must not be recorded in two tenants. */
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
 * Binds an account's number to these requisites in their order, and to no others; returns it masked. Refuses
 * `already_exists` if the number belongs to another tenant.
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

/** Keeps all bindings unchanged until the transaction ends; other callers wait. */
export const holdBindings = async (tx: Tx): Promise<void> => {
  await tx.query(lockBindings, {})
}

/** As `holdBindings`, but also waits for everyone who is recording money (see `holdSharing`), and lets nobody begin. */
export const holdBindingsToChange = async (tx: Tx): Promise<void> => {
  await tx.query(lockBindingsToChange, {})
}

/**
 * As `listSharing`, and keeps the bindings unchanged until the transaction ends; such callers do not exclude each
 * other.
 */
export const holdSharing = async (
  tx: Tx,
  requisiteIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const rows = await tx.query(lockSharing, { requisiteIds: [...new Set(requisiteIds)] })
  return new Map(rows.map((row) => [row.requisiteId, row.others]))
}
