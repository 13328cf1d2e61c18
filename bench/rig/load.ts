import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Sample } from '../measure.ts'
import { watchCpu } from './cpu.ts'
import type { Bench } from './open-bench.ts'
import { findProgram, root, runProgram, type Server } from './processes.ts'
import type { Contender } from './take-turns.ts'

export type Load = {
  /** Complete answers, including refusals. */
  readonly answers: number
  /** Answers with a status of 400 or more. */
  readonly refused: number
  /** Requests without a complete answer, except those cut off by the end of the load. */
  readonly broken: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** A load: its script in bench/load, the environment that the script reads, and its number of connections. */
export type LoadPlan = {
  readonly script: 'create' | 'poll' | 'pages'
  readonly connections: number
  readonly environment: Readonly<Record<string, string>>
}

/**
 * In seconds: for this long under creates by 64 connections, a server compiles its code, and a create takes up to twice
 * the processor time. A comparison with another server needs a warm-up of this length.
 */
export const compileSeconds = 15

/** Enough that two payments hardly ever need the same slot. */
const manyAmounts = 26_000_000

let started = 0

/** The path of wrk; throws with the command that installs it. */
export const findGenerator = (): string => {
  const path = findProgram('wrk')
  if (path === undefined) throw new Error('The load generator wrk is not installed: apt-get install wrk')
  return path
}

/** The plan of creating payments for the merchant of the run; with few `amounts`, payments compete for slots. */
export const creating = (token: string, connections: number, amounts = manyAmounts): LoadPlan => ({
  script: 'create',
  connections,
  environment: { LOAD_TOKEN: token, LOAD_AMOUNTS: String(amounts) },
})

/** Runs a load against a server for this many seconds. */
export const runLoad = async (
  { signal }: Pick<Bench, 'signal'>,
  { url }: Pick<Server, 'url'>,
  plan: LoadPlan,
  seconds: number,
): Promise<Load> => {
  // wrk needs the same number of connections in each thread; one thread is fast enough for a service on two cores.
  const args = ['-t1', `-c${plan.connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', `${plan.script}.lua`, url]
  const output = await runProgram(findGenerator(), args, {
    cwd: join(root, 'bench', 'load'),
    env: { ...plan.environment, LOAD_NUMBER: String(++started) },
    signal,
  })
  const line = /^RESULT (.*)$/m.exec(output)?.[1]
  if (line === undefined) throw new Error(`wrk printed no result:\n${output}`)
  return JSON.parse(line) as Load
}

const measureLoad = async (
  bench: Bench,
  server: Server,
  plan: LoadPlan,
  seconds: number,
): Promise<Sample & { readonly details: Load }> => {
  const watched = { pids: server.pids, postmaster: bench.postmaster }
  const { result, cpu } = await watchCpu(watched, cpus().length, () => runLoad(bench, server, plan, seconds))
  const value = (result.answers - result.refused) / result.seconds
  return { value, answers: result.answers, cpu, details: result }
}

/** A server as a contender: its successful answers per second under a load. `loads` are all that it has been under. */
export const underLoad = (
  bench: Bench,
  name: string,
  server: Server,
  plan: LoadPlan,
): Contender & { readonly loads: Load[] } => {
  const loads: Load[] = []
  const run = async (seconds: number): Promise<Sample> => {
    const sample = await measureLoad(bench, server, plan, seconds)
    loads.push(sample.details)
    return sample
  }
  return { name, loads, run }
}
