import type { Queryable } from '../database/database.ts'
import type { EntryKind } from '../domain/tenant.ts'
import { deleteOtherNumbers, insertEntries } from './store.ts'

const maxRows = 5000

/**
 * Enters the keys of a tenant whose schema was restored, and gives up its claims on numbers that it no longer has. Throws
 * where a key belongs to another tenant.
 */
export const renewKeys = async (
  directory: Queryable,
  tenant: string,
  keys: readonly { readonly kind: EntryKind; readonly key: string }[],
): Promise<void> => {
  for (const [kind, ofKind] of Map.groupBy(keys, (each) => each.kind)) {
    for (let from = 0; from < ofKind.length; from += maxRows) {
      const rows = ofKind.slice(from, from + maxRows).map(({ key }) => ({ key }))
      const entries = await directory.query(insertEntries, { kind, tenant, rows })
      const foreign = entries.filter((entry) => entry.tenant !== tenant)
      if (foreign.length > 0) {
        const others = [...new Set(foreign.map((entry) => entry.tenant))].join(', ')
        throw new Error(`${foreign.length} of the ${kind}s in the backup belong to another tenant by now: ${others}.`)
      }
    }
  }
  const numbers = keys.filter(({ kind }) => kind === 'number').map(({ key }) => key)
  await directory.query(deleteOtherNumbers, { tenant, numbers })
}
