import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Sample } from '../measure.ts'
import { watchCpu } from '../rig/cpu.ts'
import { findGenerator, type Load } from '../rig/load.ts'
import type { Bench } from '../rig/open-bench.ts'
import { root, runProgram, type Server } from '../rig/processes.ts'
import type { Contender } from '../rig/take-turns.ts'
import type { Medusa } from './open-medusa.ts'

/** What is needed from a run to put a peer under load. */
export type LoadBench = Pick<Bench, 'signal' | 'postmaster'>

/** A contender, and all loads that it has been under. */
export type PeerContender = Contender & { readonly loads: Load[] }

/** A load: its script in bench/peers/load, the environment that the script reads, and its requests per payment. */
type PeerPlan = {
  readonly script: string
  readonly environment: (seconds: number) => Readonly<Record<string, string>>
  readonly requestsEach: number
}

/** Connections of every load on peers, and on Payin in the same measure. */
export const connections = 32

/** Ten times the rate at which Medusa's store API was measured; each payment needs a cart. */
export const mostInStorePerSecond = 250

const runLoad = async (
  signal: AbortSignal,
  { url }: Server,
  { script, environment }: PeerPlan,
  seconds: number,
): Promise<Load> => {
  const file = join(import.meta.dirname, 'load', `${script}.lua`)
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', file, url]
  // The folder of `report.lua`, with which all load scripts end.
  const cwd = join(root, 'bench', 'load')
  const output = await runProgram(findGenerator(), args, { cwd, env: environment(seconds), signal })
  const line = /^RESULT (.*)$/m.exec(output)?.[1]
  if (line === undefined) throw new Error(`wrk printed no result:\n${output}`)
  return JSON.parse(line) as Load
}

const underPeerLoad = (bench: LoadBench, name: string, server: Server, plan: PeerPlan): PeerContender => {
  const loads: Load[] = []
  const run = async (seconds: number): Promise<Sample> => {
    const watched = { pids: server.pids, postmaster: bench.postmaster }
    const work = () => runLoad(bench.signal, server, plan, seconds)
    const { result, cpu } = await watchCpu(watched, cpus().length, work)
    loads.push(result)
    const answers = result.answers / plan.requestsEach
    return {
      value: (result.answers - result.refused) / plan.requestsEach / result.seconds,
      answers,
      cpu,
      details: result,
    }
  }
  return { name, loads, run }
}

/** Payments read per second, chosen at random; their paths are `path` and a number. */
export const readingPayments = (
  bench: LoadBench,
  name: string,
  server: Server,
  what: { readonly path: string; readonly payments: number; readonly token?: string },
): PeerContender => {
  let number = 0
  const environment = () => ({
    LOAD_PATH: what.path,
    LOAD_PAYMENTS: String(what.payments),
    LOAD_NUMBER: String(++number),
    ...(what.token === undefined ? {} : { LOAD_TOKEN: what.token }),
  })
  return underPeerLoad(bench, name, server, { script: 'read', environment, requestsEach: 1 })
}

/** Medusa's payment module, called by one request per payment: the least that creates one. */
export const creatingInModule = (bench: LoadBench, { server }: Medusa): PeerContender =>
  underPeerLoad(bench, 'Medusa: payment module', server, {
    script: 'create',
    environment: () => ({}),
    requestsEach: 1,
  })

/** Medusa's store API as shipped: two requests per payment. */
export const creatingInStore = (bench: LoadBench, { server, key }: Medusa): PeerContender => {
  let next = 1
  const environment = (seconds: number) => {
    const first = next
    next += seconds * mostInStorePerSecond
    return { LOAD_KEY: key, LOAD_FIRST: String(first) }
  }
  return underPeerLoad(bench, 'Medusa: store API', server, { script: 'create-in-store', environment, requestsEach: 2 })
}

/** Medusa's payment collections with their sessions, read through its query engine. */
export const readingCollections = (bench: LoadBench, { server, payments }: Medusa): PeerContender =>
  readingPayments(bench, 'Medusa: collection with its session', server, {
    path: '/peer/payments/payment-',
    payments,
  })
