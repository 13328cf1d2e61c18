import type { Check } from '../measure.ts'
import type { Load } from './load.ts'
import type { Database } from './open-bench.ts'
import { askDoctor } from './payin.ts'
import type { Server } from './processes.ts'

const thousands = (count: number): string => count.toLocaleString('en').replaceAll(',', ' ')

/** A bare server refuses an amount that is taken on an account: one of ten thousand creates at most. */
export const refusedByBare = 1 / 10_000

/** Every request of the loads was answered completely, with at most this share of refusals. */
export const checkAnswers = (loads: readonly Load[], mostRefusedShare = 0): Check => {
  const sum = (key: 'answers' | 'refused' | 'broken'): number => loads.reduce((total, load) => total + load[key], 0)
  const text = `${thousands(sum('answers'))} requests answered, ${sum('refused')} refused, ${sum('broken')} broken`
  return { text, ok: sum('refused') <= mostRefusedShare * sum('answers') && sum('broken') === 0 && sum('answers') > 0 }
}

/**
 * Every 201 has its payment. When the generator stops, it does not read the answers under way, so there may be that
 * many more payments.
 */
export const checkRows = async (
  database: Pick<Database, 'query'>,
  loads: readonly Load[],
  mostCut: number,
): Promise<Check> => {
  const [row] = await database.query<{ count: string }>('select count(*) from payments')
  const rows = Number(row?.count)
  const created = loads.reduce((total, load) => total + load.answers - load.refused, 0)
  const text = `${thousands(created)} payments answered with 201, ${thousands(rows)} in the database`
  return { text, ok: rows >= created && rows <= created + mostCut }
}

/** All invariants of the domain hold. */
export const checkInvariants = async (server: Pick<Server, 'url'>): Promise<Check> => {
  const { checked, broken } = await askDoctor(server)
  const text = broken.length === 0 ? `${checked} invariants hold` : `broken invariants: ${broken.join(', ')}`
  return { text, ok: broken.length === 0 }
}
