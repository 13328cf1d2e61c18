import type { Check } from '../measure.ts'
import type { Load } from './load.ts'
import type { Database } from './open-bench.ts'
import { askDoctor } from './payin.ts'
import type { Server } from './processes.ts'

const thousands = (count: number): string => count.toLocaleString('en').replaceAll(',', ' ')

/** A bare server refuses an amount that is taken at an account, which of a hundred thousand creates happens to one at most, or a few. */
export const refusedByBare = 5

/** Every load was answered whole, with at most this many refusals in all. */
export const checkAnswers = (loads: readonly Load[], mostRefused = 0): Check => {
  const sum = (key: 'answers' | 'refused' | 'broken'): number => loads.reduce((total, load) => total + load[key], 0)
  const text = `${thousands(sum('answers'))} requests answered, ${sum('refused')} refused, ${sum('broken')} broken`
  return { text, ok: sum('refused') <= mostRefused && sum('broken') === 0 && sum('answers') > 0 }
}

/**
 * Every 201 has its payment. The generator does not read the answers that are under way when it stops: that many more
 * payments there may be.
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

/** The invariants of the domain hold. */
export const checkInvariants = async (server: Pick<Server, 'url'>): Promise<Check> => {
  const { checked, broken } = await askDoctor(server)
  const text = broken.length === 0 ? `${checked} invariants hold` : `broken invariants: ${broken.join(', ')}`
  return { text, ok: broken.length === 0 }
}
