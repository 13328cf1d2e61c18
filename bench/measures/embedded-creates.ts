import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { compare, type Measure, type Series } from '../measure.ts'
import { checkAnswers, checkInvariants } from '../rig/check-creates.ts'
import { creating, underLoad } from '../rig/load.ts'
import { startPayin } from '../rig/payin.ts'
import { seed } from '../rig/seed.ts'
import { takeTurns } from '../rig/take-turns.ts'

const connections = 64

/**
 * P8: durable creates per second on the embedded database, which is used without DATABASE_URL, compared with the same
 * service on PostgreSQL.
 */
export const embeddedCreates: Measure = {
  id: 'P8',
  isLong: true,
  title: 'creates on the embedded database',
  run: async (bench) => {
    await using database = await bench.createDatabase()
    await using onPostgres = await startPayin(database, bench.signal)
    const dataDir = mkdtempSync(join(bench.folder, 'embedded-'))
    bench.say('P8: seeding the embedded database')
    const { token } = await seed({ dataDir })
    await using onEmbedded = await startPayin({ dataDir }, bench.signal)

    const subject = underLoad(bench, 'embedded', onEmbedded, creating(token, connections))
    const yardstick = underLoad(bench, 'PostgreSQL', onPostgres, creating(bench.merchant.token, connections))
    const series = (await takeTurns(bench, 'P8', [subject, yardstick])) as [Series, Series]
    return [
      {
        title: `creates, ${connections} connections`,
        unit: 'creates/s',
        series,
        verdicts: [compare("of PostgreSQL's", ...series, { atLeast: 0.35 })],
        checks: [checkAnswers([...subject.loads, ...yardstick.loads]), await checkInvariants(onEmbedded)],
      },
    ]
  },
}
