import { bringBack } from '../../bring-back.ts'
import type { Context, Tx } from '../../context.ts'
import { maskNumber } from '../../../rules/values/masking.ts'
import { accountSpellings } from '../../../rules/statements/statement.ts'
import { lockSharing, lockBindings, lockBindingsToChange } from '../store.ts'
import { listAccounts, listAccountsAfter, listNumbersOfRequisite, renewAccounts, bindAccount } from './store.ts'
import { sealedText } from '../../../secrets/sealed-text.ts'

/** Lets accounts be bound, and requisites added, now that a clock that was ahead has dated; they return how many. */
export const bringBindingsBack = bringBack('statement_accounts', 'bound_at')
export const bringRequisitesBack = bringBack('requisites', 'created_at')

const rowsAtOnce = 500

const numbers = sealedText('statement_accounts', 'number_sealed')

/** Seals and indexes the bindings of a number with the first key; returns how many did not have that yet. */
const renewAccount = async (tx: Tx, number: string): Promise<number> => {
  const { vault } = tx
  const numberIndexes = vault.blindIndexes('statement-account', number)
  const [numberIndex = ''] = numberIndexes
  const accounts = await tx.query(listAccounts, { numberIndexes })
  const old = accounts.filter(
    (each) => each.numberIndex !== numberIndex || !each.numberSealed.startsWith(vault.sealedPrefix),
  )
  if (old.length === 0) return 0
  const rows = old.map(({ numberIndex: before, requisiteId }) => ({
    before,
    requisiteId,
    numberSealed: numbers.seal(vault, requisiteId, number),
  }))
  await tx.query(renewAccounts, { numberIndex, rows })
  return rows.length
}

/** The same for all numbers after a position; `position` is the last one, or null at the end. */
export const renewAllAccounts = async (tx: Tx, position: readonly string[] | null) => {
  const [after = '', requisiteId = '00000000-0000-0000-0000-000000000000'] = position ?? []
  const accounts = await tx.query(listAccountsAfter, { numberIndex: after, requisiteId, limit: rowsAtOnce })
  let renewed = 0
  for (const { numberSealed, requisiteId: id } of accounts)
    renewed += await renewAccount(tx, numbers.open(tx.vault, id, numberSealed))
  const last = accounts.at(-1)
  const isEnd = accounts.length < rowsAtOnce || last === undefined
  return { position: isEnd ? null : [last.numberIndex, last.requisiteId], renewed }
}

/**
 * Binds an account's number, without the code of its bank, to these requisites in their order, and to no others, as the
 * operator `by`; returns it masked.
 */
export const bindNumber = async (
  tx: Tx,
  number: string,
  requisiteIds: readonly string[],
  by: string,
): Promise<string> => {
  const plain = accountSpellings(number).at(-1) ?? ''
  await renewAccount(tx, plain)
  const numberIndex = tx.vault.blindIndex('statement-account', plain)
  const numberMasked = maskNumber(number)
  const rows = requisiteIds.map((requisiteId) => ({
    requisiteId,
    numberSealed: numbers.seal(tx.vault, requisiteId, plain),
  }))
  await tx.query(bindAccount, { numberIndex, numberMasked, rows, by, now: tx.now })
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

/** The numbers of the accounts whose statements report the money of a requisite. */
export const findStatementNumbers = async (
  { query, vault }: Pick<Context, 'query' | 'vault'>,
  requisiteId: string,
): Promise<string[]> =>
  (await query(listNumbersOfRequisite, { requisiteId })).map(({ numberSealed }) =>
    numbers.open(vault, requisiteId, numberSealed),
  )
