import type { Tx } from '../context.ts'
import type { RenewedIndex, SealedRow, SealedTable } from '../../secrets/sealed-table.ts'
import { renewalQueries } from './store.ts'

/** The result of a batch of a step: `position` is the last row that it read, null at the end of the pass. */
type Batch = { readonly position: readonly string[] | null; readonly renewed: number }

/** A part of the rotation: rows that are renewed batch by batch, each in a separate transaction. */
export type RotationStep = {
  readonly name: string
  /** Renews the rows after a position, or from the beginning. */
  run(tx: Tx, position: readonly string[] | null): Promise<Batch>
}

/** Further changes in the same transaction after the keyed hashes of rows have changed. */
type Follow = (tx: Tx, changed: readonly RenewedIndex[]) => Promise<void>

const rowsAtOnce = 500

/** Seals and indexes the rows of a table again; rows that the first key has sealed stay as they are. */
export const renewTable = (sealed: SealedTable, follow?: Follow): RotationStep => {
  const { table, columns, also = [], rowOf = (row) => row['id'] ?? '' } = sealed
  const limit = sealed.rowsAtOnce ?? rowsAtOnce
  const queries = renewalQueries({
    ...{ table, key: sealed.key, also },
    sealed: columns.map(({ name }) => name),
    indexes: columns.flatMap(({ index }) => index?.name ?? []),
  })

  const renew = (tx: Tx, row: SealedRow): { row: SealedRow; changed: RenewedIndex[] } => {
    const changed: RenewedIndex[] = []
    const renewed: Record<string, string | null> = { ...row }
    for (const { name, locatedAs = name, index } of columns) {
      const before = row[name] ?? null
      renewed[queries.beforeOf(name)] = before
      if (index) renewed[index.name] = null
      if (before === null) continue
      const location = { table, column: locatedAs, row: rowOf(row) }
      renewed[name] = tx.vault.reseal(before, location) ?? before
      const after = index ? index.of(tx.vault, tx.vault.decryptBytes(before, location), row) : null
      const old = index ? (row[index.name] ?? null) : null
      if (!index || after === null || old === null || after === old) continue
      renewed[index.name] = after
      changed.push({ column: index.name, before: old, after })
    }
    return { row: renewed, changed }
  }

  return {
    name: table,
    run: async (tx, position) => {
      const from = position ?? queries.beginning
      const page = await tx.query(queries.listPage, { position: from, prefix: tx.vault.sealedPrefix, limit })
      const rows = page.map(({ row }) => row)
      const stale = rows.filter((row) => columns.some(({ name }) => row[name] !== null)).map((row) => renew(tx, row))
      if (stale.length > 0) {
        await tx.query(queries.updateRows, { changed: stale.map(({ row }) => row) })
        await follow?.(
          tx,
          stale.flatMap(({ changed }) => changed),
        )
      }
      const last = rows.at(-1)
      const isEnd = rows.length < limit || last === undefined
      return { position: isEnd ? null : queries.positionOf(last), renewed: stale.length }
    },
  }
}
