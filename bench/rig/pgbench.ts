import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Sample } from '../measure.ts'
import { insertOnePayment, insertTerms } from '../yardsticks/insert-one-payment.ts'
import { watchCpu } from './cpu.ts'
import type { Bench, Database } from './open-bench.ts'
import { findProgram, runProgram } from './processes.ts'

/** SQL for a UUID of version 7 without its fixed bits: random ids would cost 17 % in the indexes. */
const timeOrderedId = `(lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
  || translate(gen_random_uuid()::text, '-', ''))::varchar(32)`

const script = (merchantId: string, requisiteId: string): string => {
  const statement = insertOnePayment({
    merchantId: `'${merchantId}'`,
    requisiteId: `'${requisiteId}'`,
    id: timeOrderedId,
    orderId: `'bench-' || gen_random_uuid()`,
    userId: 'gen_random_uuid()',
    amount: ':amount',
    ratePrice: '9250000000',
    total: '54058054',
  })
  // One requisite, and more amounts than the merchant's limits allow, so that no two payments need the same slot.
  return `\\set amount random(1, 1000000000000)\n${statement};\n`
}

/** The path of pgbench; throws with the command that installs it. */
export const findPgbench = (): string => {
  const path = findProgram('pgbench')
  if (path === undefined) throw new Error('pgbench is not installed: apt-get install postgresql-contrib')
  return path
}

/** Measures with pgbench alone how many statements per second write one payment each: 64 clients, prepared. */
export const measurePgbench = async (bench: Bench, database: Database, seconds: number): Promise<Sample> => {
  const [requisite] = await database.query<{ id: string }>('select id from requisites limit 1')
  await database.query(insertTerms)
  const file = join(bench.folder, 'insert-one-payment.sql')
  writeFileSync(file, script(bench.merchant.id, requisite?.id ?? ''))
  const args = ['--no-vacuum', '-M', 'prepared', '-c', '64', '-j', '2', '-T', String(seconds), '-f', file, database.url]
  const run = () => runProgram(findPgbench(), args, { cwd: bench.folder, env: {}, signal: bench.signal })
  const { result, cpu } = await watchCpu({ pids: [], postmaster: bench.postmaster }, cpus().length, run)
  const tps = /^tps = ([\d.]+)/m.exec(result)?.[1]
  if (tps === undefined) throw new Error(`pgbench printed no rate:\n${result}`)
  return { value: Number(tps), answers: Number(tps) * seconds, cpu }
}
