// Measures Medusa alone: `node bench/peers/medusa.ts <url of an empty PostgreSQL database> [folder of Medusa]` installs
// it in the folder if necessary, migrates, seeds and starts it, puts it under load, stops it, and prints JSON.
import { resolve } from 'node:path'
import { median } from '../measure.ts'
import { defaultFolder, openMedusa } from './open-medusa.ts'
import {
  connections,
  creatingInModule,
  creatingInStore,
  mostInStorePerSecond,
  type PeerContender,
  readingCollections,
} from './peer-load.ts'

const rounds = 3
const warmSeconds = 3
const loadSeconds = 6

const measure = async ({ name, run, loads }: PeerContender) => {
  await run(warmSeconds)
  const values: number[] = []
  for (let round = 1; round <= rounds; round++) values.push((await run(loadSeconds)).value)
  const perSecond = { median: median(values), min: Math.min(...values), max: Math.max(...values) }
  return { name, perSecond, loads: loads.slice(1) }
}

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort())

const [databaseUrl, folder = defaultFolder()] = process.argv.slice(2)
if (databaseUrl === undefined) throw new Error('Name an empty database: postgresql://user@127.0.0.1:5432/database')

const bench = { signal: stopping.signal, say: (text: string) => console.error(text), postmaster: undefined }
const carts = (warmSeconds + rounds * loadSeconds) * mostInStorePerSecond
await using medusa = await openMedusa({ ...bench, folder: resolve(folder), databaseUrl, carts })
const results = []
for (const load of [creatingInModule, creatingInStore, readingCollections]) {
  const contender = load(bench, medusa)
  bench.say(contender.name)
  results.push(await measure(contender))
}
console.log(JSON.stringify({ connections, loadSeconds, results }, null, 2))
