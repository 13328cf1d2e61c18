// All invariants as one query: eighty separate ones, each with a transaction and its settings, take longer than most
// tests.
import { bigint, type Query, type Queryable, text } from 'payin-database'
import type { InvariantParameters } from '../../src/engine/invariants/invariant.ts'
import type { Instant } from '../../src/rules/time.ts'
import { checkAudit, invariants } from '../../src/engine/invariants/check-invariants.ts'

type Broken = { readonly name: string; readonly example: string; readonly broken: bigint }

/** The queries of all invariants, each with its own parameters. */
const joinQueries = (): Query<InvariantParameters, Broken> => {
  let before = 0
  const parts = invariants.map(({ name, find }) => {
    const shifted = find.text.replaceAll(/\$(\d+)/g, (_, number: string) => `$${before + Number(number)}`)
    before += find.parameterTypes.length
    return `select '${name}' as name, example, broken from (${shifted}) as found`
  })
  return {
    name: 'all_invariants',
    planned: 'whole',
    text: parts.join('\nunion all\n'),
    parameterTypes: invariants.flatMap(({ find }) => find.parameterTypes),
    columns: [
      { name: 'name', type: 'text' },
      { name: 'example', type: 'text' },
      { name: 'broken', type: 'bigint' },
    ],
    encode: (parameters) => invariants.flatMap(({ find }) => find.encode(parameters)),
    decode: ([name = null, example = null, broken = null]) => ({
      name: text.decode(name),
      example: text.decode(example),
      broken: bigint.decode(broken),
    }),
  }
}

const all = joinQueries()

/** The rows that break an invariant of the domain, up to twenty for each, by its name; empty if all hold. */
export const findBroken = async (
  sql: Queryable & ({ readonly clock: () => Instant } | { readonly now: Instant }),
): Promise<readonly { readonly name: string }[]> => {
  const rows = await sql.query(all, { now: 'now' in sql ? sql.now : sql.clock() })
  const { check } = await checkAudit(sql)
  return check.broken > 0 ? [...rows, check] : rows
}
