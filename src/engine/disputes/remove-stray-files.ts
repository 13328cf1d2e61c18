import type { Context } from '../context.ts'
import { day } from '../../rules/time.ts'
import { fileTables } from './claims/seal-file.ts'
import { listKnown } from './claims/store.ts'

/** Whoever stores a file writes its row long before this has passed. */
const strayAfterMs = day

const idShape = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

/** Ids begin with the time of their creation. */
const madeAt = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** Removes stored files that no row names, after a day; returns how many. */
export const removeStrayFiles = async (context: Context): Promise<number> => {
  const { files } = context
  if (!files) return 0
  let removed = 0
  const before = context.clock() - strayAfterMs
  for (const table of fileTables) {
    for await (const names of files.list(table)) {
      const old = names.flatMap((name) => {
        const id = idShape.exec(name.slice(name.lastIndexOf('/')))?.[0]
        return id !== undefined && madeAt(id) < before ? [{ name, id }] : []
      })
      const ids = old.map(({ id }) => id)
      const known = new Set((await context.query(listKnown[table], { ids })).map(({ id }) => id))
      for (const { name, id } of old) {
        if (known.has(id) && name.endsWith(id)) continue
        await files.remove(name)
        removed++
      }
    }
  }
  return removed
}
