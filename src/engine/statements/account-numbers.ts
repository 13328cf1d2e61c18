import type { Queryable } from 'payin-database'
import type { Context, Tx } from '../context.ts'
import { accountSpellings } from '../../rules/statements/statement.ts'
import type { SealedTable, Vault } from '../../secrets/vault.ts'
import { listSharing, requisiteCurrencies } from '../requisites/read.ts'
import { insertNumbers, listRequisitesOfAccount, selectNumbers } from './sources/store.ts'
import { sealedText } from '../../secrets/sealed-text.ts'

const kind = 'statement-account'

const numbers = sealedText('statement_numbers', 'number_sealed')

/** The blind indexes of an account's spellings under each key. */
export const indexesOf = (vault: Vault, spellings: readonly string[]): string[] =>
  spellings.flatMap((each) => vault.blindIndexes(kind, each))

/** Keeps the numbers of a statement's accounts sealed; `names` are the accounts as the file writes them. */
export const keepNumbers = async (
  tx: Tx,
  statementId: string,
  accounts: readonly { readonly requisiteId: string }[],
  names: readonly (string | null)[],
): Promise<void> => {
  const rows = accounts.flatMap(({ requisiteId }, account) => {
    const spellings = accountSpellings(names[account] ?? '')
    return (spellings.length === 0 ? [null] : spellings).map((number, spelling) => ({
      ...{ account, spelling, requisiteId },
      numberIndex: number === null ? null : tx.vault.blindIndex(kind, number),
      numberSealed: number === null ? null : numbers.seal(tx.vault, `${statementId}/${account}/${spelling}`, number),
    }))
  })
  await tx.query(insertNumbers, { statementId, rows })
}

/**
 * The accounts of a statement in their order, with the blind indexes of their numbers under each key: during a rotation
 * of keys other statements have those of the old key or of the new one. None if the file does not name the account.
 */
export const listNamedAccounts = async (
  { query, vault }: Pick<Tx, 'query' | 'vault'>,
  statementId: string,
): Promise<{ readonly requisiteId: string; readonly numberIndexes: readonly string[] }[]> => {
  const accounts = new Map<number, { requisiteId: string; numberIndexes: string[] }>()
  for (const { account, spelling, requisiteId, numberSealed } of await query(selectNumbers, { statementId })) {
    const known = accounts.get(account) ?? { requisiteId, numberIndexes: [] }
    accounts.set(account, known)
    if (numberSealed === null) continue
    const number = numbers.open(vault, `${statementId}/${account}/${spelling}`, numberSealed)
    known.numberIndexes.push(...indexesOf(vault, [number]))
  }
  return [...accounts.values()]
}

/** The requisites on which imported files have booked the money of an account. */
export const listBookedOn = async (
  { query, vault }: Pick<Context, 'query' | 'vault'>,
  spellings: readonly string[],
): Promise<string[]> => {
  const rows = await query(listRequisitesOfAccount, { numberIndexes: indexesOf(vault, spellings) })
  return rows.map((each) => each.requisiteId)
}

/**
 * Another requisite than this one, if imported files have booked the money of an account in its currency on it. Of
 * requisites that share an account, that is the first one.
 */
export const findBookedElsewhere = async (
  sql: Queryable,
  numberIndexes: readonly string[],
  { id, currency }: { readonly id: string; readonly currency: string },
): Promise<string | undefined> => {
  const booked = (await sql.query(listRequisitesOfAccount, { numberIndexes })).map((each) => each.requisiteId)
  const [sharing, currencies] = [await listSharing(sql, booked), await requisiteCurrencies(sql, booked)]
  return booked
    .filter((each) => currencies.get(each) === currency)
    .map((each) => sharing.get(each)?.[0] ?? each)
    .find((each) => each !== id)
}

export const sealedNumbers: SealedTable = {
  table: 'statement_numbers',
  key: { statement_id: 'uuid', account: 'integer', spelling: 'integer' },
  columns: [
    {
      name: 'number_sealed',
      index: { name: 'number_index', of: (vault, content) => vault.blindIndex(kind, content.toString('utf8')) },
    },
  ],
  rowOf: (row) => `${row['statement_id']}/${row['account']}/${row['spelling']}`,
}
