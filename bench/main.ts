// `npm run bench`: compares Payin with limits and usual designs, measured in the same run. Absolute figures hold for
// one machine and one hour; the ratios count. Exits with 1 if something cannot be measured or a check of the written
// data fails. A missed goal is only shown, because machines differ.
import { constants } from 'node:os'
import { Command, InvalidArgumentError } from 'commander'
import { failed, type Finding, type Measure } from './measure.ts'
import { bytes } from './measures/bytes.ts'
import { durableCreates } from './measures/durable-creates.ts'
import { embeddedCreates } from './measures/embedded-creates.ts'
import { growth } from './measures/growth.ts'
import { latency } from './measures/latency.ts'
import { notifications } from './measures/notifications.ts'
import { operatorLists } from './measures/operator-lists.ts'
import { payerPages } from './measures/payer-pages.ts'
import { peers } from './measures/peers.ts'
import { crediting } from './measures/crediting.ts'
import { phoneMessages } from './measures/phone-messages.ts'
import { start } from './measures/start.ts'
import { statusPolls } from './measures/status-polls.ts'
import { twoProcesses } from './measures/two-processes.ts'
import { waiting } from './measures/waiting.ts'
import { printMachine, printMeasure, printSummary, showProgress } from './print.ts'
import { findGenerator } from './rig/load.ts'
import { type Bench, openBench } from './rig/open-bench.ts'
import { findPgbench } from './rig/pgbench.ts'
import { describeMachine, saveResults } from './save-results.ts'

const measures: readonly Measure[] = [
  durableCreates,
  statusPolls,
  latency,
  growth,
  crediting,
  notifications,
  waiting,
  embeddedCreates,
  twoProcesses,
  start,
  payerPages,
  peers,
  operatorLists,
  bytes,
  phoneMessages,
]

type Options = { readonly quick: boolean; readonly repeats?: number }

const stopping = new AbortController()

const chooseMeasures = (ids: readonly string[], quick: boolean): readonly Measure[] => {
  const known = measures.map(({ id }) => id)
  const unknown = ids.filter((id) => !known.includes(id.toUpperCase()))
  if (unknown.length > 0) throw new Error(`There is no measure ${unknown.join(', ')}. Choose from ${known.join(', ')}.`)
  const wanted = ids.map((id) => id.toUpperCase())
  if (wanted.length === 0) return measures.filter(({ isLong }) => !quick || !isLong)
  return measures.filter(({ id }) => wanted.includes(id))
}

const findingsOf = async (measure: Measure, bench: Bench): Promise<Finding[]> => {
  try {
    return await measure.run(bench)
  } catch (error) {
    stopping.signal.throwIfAborted()
    return [failed(measure.title, error)]
  }
}

const runMeasures = async (
  chosen: readonly Measure[],
  { quick, repeats = quick ? 1 : 3 }: Options,
): Promise<boolean> => {
  const startedAt = new Date()
  // Under load, Node.js needs two or three seconds to compile its code.
  const lengths = quick ? { warmSeconds: 2, loadSeconds: 1 } : { warmSeconds: 3, loadSeconds: 8 }
  await using bench = await openBench({
    quick,
    rounds: repeats,
    ...lengths,
    signal: stopping.signal,
    say: showProgress,
  })
  const machine = describeMachine(bench.postgresVersion)
  showProgress('')
  printMachine(machine)
  const results: { measure: Measure; findings: Finding[]; seconds: number }[] = []
  for (const measure of chosen) {
    stopping.signal.throwIfAborted()
    const from = performance.now()
    const findings = await findingsOf(measure, bench)
    showProgress('')
    printMeasure(measure, findings)
    results.push({ measure, findings, seconds: (performance.now() - from) / 1000 })
  }
  printSummary(results)
  const file = saveResults(startedAt, { quick, repeats, ...lengths }, machine, results)
  console.log(`\n   all runs: ${file}\n`)
  return results.every(({ findings }) => findings.every(({ checks }) => checks.every(({ ok }) => ok)))
}

const bench = async (ids: readonly string[], options: Options): Promise<void> => {
  let interruptedBy: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      interruptedBy ??= signal
      stopping.abort()
    })
  }
  try {
    const chosen = chooseMeasures(ids, options.quick)
    findGenerator()
    findPgbench()
    if (!(await runMeasures(chosen, options))) process.exitCode = 1
  } catch (error) {
    showProgress('')
    const message = error instanceof Error ? error.message : error
    console.error(interruptedBy === undefined ? message : 'Stopped; no results were written.')
    process.exitCode = interruptedBy === undefined ? 1 : 128 + constants.signals[interruptedBy]
  }
}

const wholeNumber = (text: string): number => {
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It is a whole number from 1 to 99.')
}

await new Command('npm run bench --')
  .description('Compares the speed of Payin with limits and usual designs, measured in the same run.')
  .argument('[measures...]', `only these: ${measures.map(({ id }) => id).join(', ')}`)
  .option('--quick', 'short loads, without P8 and P10 unless named: all in three minutes', false)
  .option('--repeats <n>', 'how often each load is measured (default: 3, with --quick 1)', wholeNumber)
  .action(bench)
  .parseAsync()
