import type { CatalogPart } from '../database/catalog.ts'
import { hasUsageLimits, type Requisite, type RequisiteWish } from '../domain/requisite.ts'
import { requisiteGroup } from '../domain/requisite-health.ts'
import { listRequisites } from './store.ts'

type Group = Map<string, Requisite>

/** All requisites in memory, grouped by owner and kind, each group in the order of last use on this node. */
export type RequisitePool = {
  readonly byId: ReadonlyMap<string, Requisite>
  /** Requisites of a wish's kind, the merchant's own before the shared ones, the least recently used first. */
  offer(wish: RequisiteWish): Iterable<Requisite>
  /** Whether any requisite of a wish's kind has limits on its usage. */
  isLimited(wish: RequisiteWish): boolean
  /** Moves a requisite to the end of its group. */
  touch(requisite: Requisite): void
  /** Ids in the order of last use, to carry the order over to the next pool. */
  readonly order: Iterable<string>
}

const arrange = (requisites: readonly Requisite[], previous: RequisitePool | undefined): RequisitePool => {
  const rank = new Map([...(previous?.order ?? [])].map((id, index) => [id, index + 1]))
  const groups = new Map<string, Group>()
  const byLastUse = requisites.toSorted((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0))
  for (const requisite of byLastUse) {
    const key = requisiteGroup(requisite)
    groups.set(key, (groups.get(key) ?? new Map()).set(requisite.id, requisite))
  }
  const limited = new Set(requisites.filter(hasUsageLimits).map(requisiteGroup))
  return {
    byId: new Map(requisites.map((requisite) => [requisite.id, requisite])),
    *offer(wish) {
      yield* groups.get(requisiteGroup(wish))?.values() ?? []
      yield* groups.get(requisiteGroup({ ...wish, merchantId: null }))?.values() ?? []
    },
    isLimited: (wish) =>
      limited.has(requisiteGroup(wish)) || limited.has(requisiteGroup({ ...wish, merchantId: null })),
    touch: (requisite) => {
      const group = groups.get(requisiteGroup(requisite))
      if (group?.delete(requisite.id)) group.set(requisite.id, requisite)
    },
    get order() {
      return [...groups.values()].flatMap((group) => [...group.keys()])
    },
  }
}

/** The pool of requisites as a part of the catalog. */
export const requisitePool: CatalogPart<RequisitePool> = {
  name: 'requisites',
  load: async (sql, previous) => arrange(await sql.query(listRequisites, {}), previous),
}
