import type { Context, Tx } from '../../context.ts'
import type { CsvMapping } from '../../domain/csv-mapping.ts'
import { Refusal, refuseField } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { requisiteCurrencies } from '../../requisites/read.ts'
import { generateFeedKey } from '../../secrets/feed-key.ts'
import { findSource, lockSource, insertSource, listSources, touchSource, updateSource } from './store.ts'

/** A bank, or a system in between, that reports money for some requisites. */
export type Source = {
  readonly id: string
  readonly name: string
  readonly requisiteIds: readonly string[]
  /** How its CSV files are read. */
  readonly mapping: CsvMapping | null
  /** Beginning of the key of its pushes; `null` where it may not push. */
  readonly keyPrefix: string | null
  readonly createdAt: Instant
  readonly lastSeenAt: Instant | null
}

const keyPlace = (id: string) => ({ table: 'statement_sources', column: 'key_sealed', row: id })

const checkRequisites = async (tx: Tx, requisiteIds: readonly string[]): Promise<void> => {
  const known = await requisiteCurrencies(tx, requisiteIds)
  if (requisiteIds.some((id) => !known.has(id)))
    throw refuseField('validation_failed', 'requisiteIds', 'names a requisite that is not known.')
}

const find = async (sql: Pick<Tx, 'query'>, id: string, statement = findSource) => {
  const [source] = await sql.query(statement, { id })
  if (!source) throw new Refusal('resource_not_found', 'There is no such source.')
  return source
}

/** Reading and changing of sources; each refuses `resource_not_found` for one that is not there. */
export const sources = {
  /** All of them, by name. */
  list: (context: Context): Promise<Source[]> => context.query(listSources, {}),
  /** One of them. */
  get: async (context: Context, id: string): Promise<Source> => {
    const { keySealed, ...source } = await find(context, id)
    return source
  },
  /** Adds one and returns its id; refuses `already_exists`, `validation_failed`. */
  add: async (tx: Tx, wanted: Pick<Source, 'name' | 'requisiteIds' | 'mapping'>): Promise<string> => {
    await checkRequisites(tx, wanted.requisiteIds)
    const id = tx.newId()
    const [added] = await tx.query(insertSource, { ...wanted, id, at: tx.now })
    if (!added) throw new Refusal('already_exists', 'There is a source of this name already.')
    return id
  },
  /** Changes requisites or mapping; refuses `validation_failed`. */
  update: async (
    tx: Tx,
    id: string,
    wanted: { readonly requisiteIds?: readonly string[] | undefined; readonly mapping?: CsvMapping | null | undefined },
  ): Promise<void> => {
    const before = await find(tx, id, lockSource)
    const after = {
      ...before,
      requisiteIds: wanted.requisiteIds ?? before.requisiteIds,
      mapping: wanted.mapping === undefined ? before.mapping : wanted.mapping,
    }
    await checkRequisites(tx, after.requisiteIds)
    await tx.query(updateSource, after)
  },
  /** Gives it a new key, shown this once; the one before ends. */
  renewKey: async (tx: Tx, id: string): Promise<string> => {
    const before = await find(tx, id, lockSource)
    const { key, prefix } = generateFeedKey()
    const keySealed = tx.vault.encrypt(key, keyPlace(id))
    await tx.query(updateSource, { ...before, keySealed, keyPrefix: prefix })
    return key
  },
  /** Ends its key. */
  endKey: async (tx: Tx, id: string): Promise<void> => {
    await tx.query(updateSource, { ...(await find(tx, id, lockSource)), keySealed: null, keyPrefix: null })
  },
  /** The source with its key, for checking a push; `undefined` where there is none, or it may not push. */
  findPusher: async (
    context: Context,
    id: string,
  ): Promise<{ readonly source: Source; readonly key: string } | undefined> => {
    const [found] = await context.query(findSource, { id })
    if (!found?.keySealed) return undefined
    const { keySealed, ...source } = found
    return { source, key: context.vault.decrypt(keySealed, keyPlace(id)) }
  },
  /** Notes that it has sent something. */
  touch: (tx: Tx, id: string) => tx.query(touchSource, { id, at: tx.now }),
} as const
