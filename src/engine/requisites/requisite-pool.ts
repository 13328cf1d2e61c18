import type { CatalogPart } from '../catalog.ts'
import type { Queryable } from 'payin-database'
import { hasUsageLimits, type Requisite, type RequisiteWish } from '../../rules/requisites/requisite.ts'
import { requisiteGroup } from '../../rules/requisites/requisite-health.ts'
import type { Instant } from '../../rules/time.ts'
import { listLastUses, listOpenUses, listRequisites } from './store.ts'
import { noRecipient, type Recipient, shownName } from '../../rules/requisites/recipient.ts'
import type { SealedTable, Vault } from '../../secrets/vault.ts'
import { sealedJson, sealedText } from '../../secrets/sealed-text.ts'

/** Payments of other nodes are known after at most this long. */
const usesMaxAgeMs = 1000

type Use = { isOpen: boolean; usedAt: Instant }

/** All requisites in memory, grouped by owner and kind, with what is known of their use on all nodes. */
export type RequisitePool = {
  readonly byId: ReadonlyMap<string, Requisite>
  /**
   * Requisites of a wish's kind: those without an open payment first, the merchant's own before shared ones, the least
   * recently used first.
   */
  offer(wish: RequisiteWish): Iterable<Requisite>
  /** Whether any requisite of a wish's kind has limits on its usage. */
  isLimited(wish: RequisiteWish): boolean
  /** Whether the shared pool has requisites of a wish's kind that it may get. */
  hasShared(wish: RequisiteWish): boolean
  hasOpenPayment(requisiteId: string): boolean
  touch(requisite: Requisite, now: Instant): void
  /** Reads from the database which requisites have open payments, unless it was read within the last second. */
  learnUses(sql: Queryable, now: Instant, again?: 'again'): Promise<void>
  readonly uses: ReadonlyMap<string, Use>
}

type Group = { readonly free: Map<string, Requisite>; readonly open: Map<string, Requisite> }

const groupByUse = (requisites: readonly Requisite[], uses: ReadonlyMap<string, Use>): Map<string, Group> => {
  const groups = new Map<string, Group>()
  const usedAt = ({ id }: Requisite): Instant => uses.get(id)?.usedAt ?? 0
  for (const requisite of requisites.toSorted((a, b) => usedAt(a) - usedAt(b))) {
    const key = requisiteGroup(requisite)
    const group = groups.get(key) ?? { free: new Map(), open: new Map() }
    group[uses.get(requisite.id)?.isOpen ? 'open' : 'free'].set(requisite.id, requisite)
    groups.set(key, group)
  }
  return groups
}

const openPool = (requisites: readonly Requisite[], uses: Map<string, Use>): RequisitePool => {
  const limited = new Set(requisites.filter(hasUsageLimits).map(requisiteGroup))
  const keysOf = (wish: RequisiteWish): string[] => [
    requisiteGroup(wish),
    ...(wish.ownOnly ? [] : [requisiteGroup({ ...wish, merchantId: null })]),
  ]
  let groups = groupByUse(requisites, uses)
  let learnedAt: Instant | undefined
  return {
    uses,
    byId: new Map(requisites.map((requisite) => [requisite.id, requisite])),
    *offer(wish) {
      const [own, shared] = keysOf(wish).map((key) => groups.get(key))
      for (const use of ['free', 'open'] as const) {
        yield* own?.[use].values() ?? []
        yield* shared?.[use].values() ?? []
      }
    },
    isLimited: (wish) => keysOf(wish).some((key) => limited.has(key)),
    hasShared: (wish) => !wish.ownOnly && groups.has(requisiteGroup({ ...wish, merchantId: null })),
    hasOpenPayment: (requisiteId) => uses.get(requisiteId)?.isOpen ?? false,
    touch: (requisite, now) => {
      uses.set(requisite.id, { isOpen: true, usedAt: now })
      const group = groups.get(requisiteGroup(requisite))
      if (group?.free.delete(requisite.id) || group?.open.delete(requisite.id)) group.open.set(requisite.id, requisite)
    },
    learnUses: async (sql, now, again) => {
      if (!again && learnedAt !== undefined && Math.abs(now - learnedAt) < usesMaxAgeMs) return
      for (const { id, usedAt } of await sql.query(listOpenUses, {})) {
        const known = uses.get(id)?.usedAt ?? 0
        uses.set(id, { isOpen: usedAt !== null, usedAt: Math.max(known, usedAt ?? 0) })
      }
      groups = groupByUse(requisites, uses)
      learnedAt = now
    },
  }
}

export const requisitePool: CatalogPart<RequisitePool> = {
  name: 'requisites',
  load: async (sql, previous) => {
    const requisites = await sql.query(listRequisites, {})
    if (previous) return openPool(requisites, new Map(previous.uses))
    const uses = await sql.query(listLastUses, {})
    return openPool(requisites, new Map(uses.map(({ id, usedAt }) => [id, { isOpen: false, usedAt }])))
  },
}

/** The number of a requisite. */
export const requisiteNumber = sealedText('requisites', 'number_sealed')

const recipients = sealedJson<Partial<Recipient>>('requisites', 'recipient_sealed')

/** Caches a value computed from a requisite for as long as the requisite is in memory, as its key is anyway. */
const remember = <Value>(make: (vault: Vault, requisite: Requisite) => Value) => {
  const made = new WeakMap<Requisite, Value>()
  return (vault: Vault, requisite: Requisite): Value => {
    const known = made.get(requisite)
    if (known !== undefined) return known
    const value = make(vault, requisite)
    made.set(requisite, value)
    return value
  }
}

/** The requisite's number in digits, for whoever pays to it. Decrypting it each time took 6 % of a busy process. */
export const revealNumber = remember((vault, { id, numberSealed }) => requisiteNumber.open(vault, id, numberSealed))

export const revealRecipient = remember((vault, { id, recipientSealed }): Recipient => {
  // A row may lack fields that were added later.
  const known = recipientSealed === null ? {} : recipients.open(vault, id, recipientSealed)
  return { ...noRecipient, ...known }
})

export const shownNameOf = remember((vault, requisite) =>
  shownName({ holder: requisite.holder, recipient: revealRecipient(vault, requisite) }),
)

/** Seals the recipient of a requisite; `null` if it is empty. */
export const sealRecipient = (vault: Vault, id: string, recipient: Recipient): string | null => {
  const known = Object.entries(recipient).filter(([, value]) => value !== null)
  return known.length === 0 ? null : recipients.seal(vault, id, Object.fromEntries(known))
}

export const sealedRequisites: SealedTable = {
  table: 'requisites',
  key: { id: 'uuid' },
  columns: [
    {
      name: 'number_sealed',
      index: { name: 'number_index', of: (vault, number) => vault.blindIndex('requisite', number.toString()) },
    },
    { name: 'recipient_sealed' },
  ],
}
