import type { Instant } from '../rules/time.ts'
import { bigint, query, type Queryable, text } from 'payin-database'

const listVersions = query('list_catalog_versions', {
  row: { part: text, version: bigint },
  text: `select part, version from catalog_versions`,
})

const raiseVersion = query('raise_catalog_version', {
  parameters: { part: text },
  text: `update catalog_versions set version = version + 1 where part = :part`,
})

/** A part of the operator's reference data that every node keeps in memory as one value. */
export type CatalogPart<T> = {
  readonly name: 'merchants' | 'tokens' | 'requisites' | 'rates' | 'banks' | 'risk' | 'templates'
  /** Reads the whole part; `previous` is the value that it replaces, to carry over what exists only in memory. */
  load(sql: Queryable, previous: T | undefined): Promise<T>
}

/** Reference data in memory; a part is reloaded when its version in the database has changed. */
export type Catalog = {
  /** The part's value, at most `catalogMaxAgeMs` older than the database's. */
  get<T>(part: CatalogPart<T>): Promise<T>
  /** Makes the next `get` check the versions again; called after a change on this node. */
  invalidate(): void
}

/** A change by another node is visible after at most this long. */
export const catalogMaxAgeMs = 1000

type Entry = { readonly version: bigint; readonly value: Promise<unknown> }

/** Opens the catalog; `clock` is used only to measure the age of the versions. */
export const openCatalog = (sql: Queryable, clock: () => Instant): Catalog => {
  const entries = new Map<string, Entry>()
  let versions = new Map<string, bigint>()
  let checkedAt: Instant | undefined
  let checking: Promise<void> | undefined
  let stale = 0

  const check = async (): Promise<void> => {
    const seen = stale
    const rows = await sql.query(listVersions, {})
    versions = new Map(rows.map((row) => [row.part, row.version]))
    if (seen === stale) checkedAt = clock()
  }

  const load = async <T>(part: CatalogPart<T>, entry: Entry | undefined): Promise<T> =>
    part.load(sql, (await entry?.value.catch(() => undefined)) as T | undefined)

  return {
    get: async <T>(part: CatalogPart<T>): Promise<T> => {
      // If the clock was set back, the versions count as old, too.
      if (checkedAt !== undefined && Math.abs(clock() - checkedAt) >= catalogMaxAgeMs) checkedAt = undefined
      // Versions that took long to arrive count as fresh: otherwise a slow database would be queried forever.
      while (checkedAt === undefined) {
        checking ??= check().finally(() => {
          checking = undefined
        })
        await checking
      }
      const version = versions.get(part.name) ?? 0n
      const entry = entries.get(part.name)
      if (entry?.version === version) return entry.value as Promise<T>
      // One load for concurrent callers: they must share one value, including its order of last use.
      const value = load(part, entry)
      entries.set(part.name, { version, value })
      value.catch(() => entries.delete(part.name))
      return value
    },
    invalidate: () => {
      stale++
      checkedAt = undefined
    },
  }
}

/** Makes every node reload a part, once the transaction of the change has been committed. */
export const raiseCatalogVersion = async (
  tx: Queryable & { afterCommit(callback: () => void): void; readonly catalog: Pick<Catalog, 'invalidate'> },
  part: CatalogPart<unknown>['name'],
): Promise<void> => {
  await tx.query(raiseVersion, { part })
  tx.afterCommit(() => tx.catalog.invalidate())
}
