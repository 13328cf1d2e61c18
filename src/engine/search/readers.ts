import type { Tx } from '../context.ts'
import type { Query } from 'payin-database'
import { currencyDecimals } from '../../rules/values/currency.ts'
import { wordsOfTransfer, type SearchKind } from '../../rules/search/search.ts'
import type { Vault } from '../../secrets/vault.ts'
import { listNumbers } from '../statements/read.ts'
import { payeeDetails } from '../transfers/outgoing/payee-details.ts'
import { outgoing, transfers } from './store.ts'

/** A thing that is found by words. */
export type Entry = { readonly ownerId: string; readonly id: string; readonly words: readonly string[] }

/** Rows whose ids are in a span. */
export type Span = { readonly fromId: string; readonly untilId: string }
type Page = Span & { readonly limit: number }
type Owner = { readonly ownerId: string }
type Key = Owner & { readonly id: string }

/** Reads the rows of a kind with the words by which they are found. */
type Reader = {
  /** The first rows of a span. */
  list(tx: Tx, page: Page): Promise<Entry[]>
  /** The owners of rows without an entry in a span. */
  listLacking(tx: Tx, span: Span): Promise<Owner[]>
  /** The first rows of these owners without an entry. */
  listUnindexed(tx: Tx, page: Page & { readonly rows: readonly Owner[] }): Promise<Entry[]>
  listIndexed(tx: Tx, rows: readonly Key[]): Promise<Entry[]>
}

type Queries<R> = {
  readonly listWithin: Query<Page, R>
  readonly listLacking: Query<Span, Owner>
  readonly listUnindexed: Query<Page & { readonly rows: readonly Owner[] }, R>
  readonly listIndexed: Query<{ readonly rows: readonly Key[] }, R>
}

/** The numbers of the documents by which statements report transfers, by transfer. */
type Numbers = ReadonlyMap<string, string>
const numbersOf = (tx: Tx, keys: readonly Key[]): Promise<Numbers> =>
  listNumbers(
    tx,
    keys.map(({ ownerId, id }) => ({ requisiteId: ownerId, id })),
  )

const readerOf = <R extends Key>(
  queries: Queries<R>,
  toEntry: (vault: Vault, row: R, number: string | null) => Entry,
): Reader => {
  const read = async <P>(tx: Tx, query: Query<P, R>, parameters: P): Promise<Entry[]> => {
    const rows = await tx.query(query, parameters)
    const numbers = rows.length === 0 ? new Map<string, string>() : await numbersOf(tx, rows)
    return rows.map((row) => toEntry(tx.vault, row, numbers.get(row.id) ?? null))
  }
  return {
    list: (tx, page) => read(tx, queries.listWithin, page),
    listLacking: (tx, span) => tx.query(queries.listLacking, span),
    listUnindexed: (tx, page) => read(tx, queries.listUnindexed, page),
    listIndexed: (tx, rows) => read(tx, queries.listIndexed, { rows }),
  }
}

/** The reader of each kind. */
export const readers: Readonly<Record<SearchKind, Reader>> = {
  transfer: readerOf(transfers, (vault, row, number) => {
    const open = (sealed: string | null, column: string): string | null =>
      sealed === null ? null : vault.decrypt(sealed, { table: 'transfers', column, row: row.id })
    return {
      ...row,
      words: wordsOfTransfer({
        ...row,
        decimals: currencyDecimals(row.currency),
        reference: row.bankReference,
        name: open(row.senderNameSealed, 'sender_name_sealed'),
        text: open(row.textSealed, 'text_sealed'),
        number,
      }),
    }
  }),
  outgoing: readerOf(outgoing, (vault, row, number) => ({
    ...row,
    words: wordsOfTransfer({
      ...row,
      ...payeeDetails(vault, row.id, row.detailsSealed),
      decimals: currencyDecimals(row.currency),
      reference: row.bankReference,
      number,
    }),
  })),
}
