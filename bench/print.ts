import Table from 'cli-table3'
import { type Finding, isMet, type Measure, median, type Sample, type Series, type Verdict } from './measure.ts'
import type { CpuShares } from './rig/cpu.ts'

const isPlain = !process.stdout.isTTY || process.env['NO_COLOR'] !== undefined
const paint =
  (code: number) =>
  (text: string): string =>
    isPlain ? text : `\u001B[${code}m${text}\u001B[0m`
const [bold, dim, red, green] = [paint(1), paint(2), paint(31), paint(32)]

/** Rows in aligned columns without lines; the columns with the given numbers are aligned right. */
const columns = (rows: readonly (readonly string[])[], right: readonly number[]): string => {
  const none = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '' }
  const sides = { 'bottom-left': '', 'bottom-right': '', left: '   ', 'left-mid': '', mid: '', 'mid-mid': '' }
  const table = new Table({
    chars: { ...none, ...sides, right: '', 'right-mid': '', middle: '   ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colAligns: (rows[0] ?? []).map((_, index) => (right.includes(index) ? 'right' : 'left')),
  })
  for (const row of rows) table.push([...row])
  return table.toString()
}

/** Four digits are enough for any figure here; thousands are separated. */
const figure = (value: number): string => {
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toFixed(decimals).replace(/\B(?=(\d{3})+$)/g, ' ')
}

const range = (values: readonly number[]): string => `${figure(Math.min(...values))} – ${figure(Math.max(...values))}`

const percent = (share: number): string => `${Math.round(share * 100)} %`

type Shares = Omit<CpuShares, 'seconds'>

const medianShares = (samples: readonly Sample[]): Shares | undefined => {
  const known = samples.flatMap(({ cpu }) => (cpu ? [cpu] : []))
  if (known.length === 0) return undefined
  const of = (key: keyof Shares): number => median(known.map((cpu) => cpu[key]))
  return {
    node: of('node'),
    postgres: of('postgres'),
    generator: of('generator'),
    others: of('others'),
    idle: of('idle'),
    mainThread: of('mainThread'),
  }
}

/** What prevents a higher figure, as far as the use of the processors shows. */
const boundBy = ({ idle, mainThread }: Shares): string => {
  if (idle < 0.06) return 'all processors are busy'
  return mainThread > 0.9 ? "Node's main thread" : 'waiting'
}

/** Processor time of Node.js and of PostgreSQL per answer, which other work on the machine distorts least. */
const costEach = (samples: readonly Sample[]): string => {
  const known = samples.flatMap(({ cpu, answers }) => (cpu && answers ? [{ ...cpu.seconds, answers }] : []))
  if (known.length === 0) return ''
  const of = (key: 'node' | 'postgres'): string => figure(median(known.map((each) => (each[key] / each.answers) * 1e6)))
  return `${of('node')} + ${of('postgres')}`
}

const seriesRow = ({ name, samples }: Series): string[] => {
  const values = samples.map((sample) => sample.value)
  const cpu = medianShares(samples)
  const shares = cpu
    ? [costEach(samples), ...[cpu.node, cpu.postgres, cpu.generator, cpu.others, cpu.idle].map(percent), boundBy(cpu)]
    : ['', '', '', '', '', '', '']
  return [name, bold(figure(median(values))), range(values), ...shares.map(dim)]
}

const goalText = ({ goal, unit }: Verdict): string => {
  if (goal === undefined) return 'for reference'
  return 'atLeast' in goal ? `goal ≥ ${goal.atLeast} ${unit}` : `goal ≤ ${goal.atMost} ${unit}`
}

const mark = (ok: boolean): string => (ok ? green('✓') : red('✗'))

const verdictRow = (verdict: Verdict): string[] => [
  verdict.goal === undefined ? ' ' : mark(isMet(verdict)),
  bold(`${figure(median(verdict.values))} ${verdict.unit}`),
  verdict.text,
  dim(range(verdict.values)),
  goalText(verdict),
]

const printFinding = (finding: Finding): void => {
  const head = [
    finding.unit,
    'median',
    'min – max',
    'µs node + pg',
    'node',
    'postgres',
    'load',
    'others',
    'idle',
    'bound by',
  ]
  const hasCpu = finding.series.some(({ samples }) => samples.some(({ cpu }) => cpu))
  const rows = [head.map(dim), ...finding.series.map(seriesRow)]
  const shown = rows.map((row) => (hasCpu ? row : row.slice(0, 3)))
  console.log(`\n   ${bold(finding.title)}`)
  if (finding.series.length > 0) console.log(columns(shown, [1, 2, 3, 4, 5, 6, 7, 8]))
  if (finding.verdicts.length > 0) console.log(`\n${columns(finding.verdicts.map(verdictRow), [1])}`)
  if (finding.checks.length > 0) console.log('')
  for (const { text, ok } of finding.checks) console.log(`   ${mark(ok)}   ${ok ? dim(text) : red(text)}`)
}

/** Prints the findings of a measure. */
export const printMeasure = ({ id, title }: Measure, findings: readonly Finding[]): void => {
  console.log(`\n${bold(`${id}  ${title}`)}`)
  for (const finding of findings) printFinding(finding)
}

/** From this share of the processors on, other work distorts even ratios: at 70 % they changed by a half. */
const muchOtherWork = 0.15

const otherWork = (findings: readonly Finding[]): number =>
  Math.max(0, ...findings.flatMap(({ series }) => series.map(({ samples }) => medianShares(samples)?.others ?? 0)))

/** Prints all verdicts with a goal again, one per line, and a warning if the machine was too busy. */
export const printSummary = (results: readonly { measure: Measure; findings: readonly Finding[] }[]): void => {
  const rows = results.flatMap(({ measure, findings }) =>
    findings.flatMap((finding) =>
      finding.verdicts
        .filter((verdict) => verdict.goal !== undefined)
        .map((verdict) => {
          const [sign = '', value = '', text = '', , goal = ''] = verdictRow(verdict)
          return [sign, measure.id, finding.title, value, text, goal]
        }),
    ),
  )
  if (rows.length > 0) console.log(`\n${bold('Goals')}\n${columns(rows, [3])}`)
  const others = otherWork(results.flatMap(({ findings }) => findings))
  if (others > muchOtherWork) {
    console.log(red(`\n   Other work took up to ${percent(others)} of the processors: repeat this on a quiet machine.`))
  }
}

/** Prints the machine and versions, without which absolute figures mean nothing. */
export const printMachine = (lines: Readonly<Record<string, string>>): void => {
  console.log(`\n${bold('Payin benchmark')}\n${columns(Object.entries(lines), [])}`)
}

/** Shows the current step in one line of the terminal; prints nothing if the output is not a terminal. */
export const showProgress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[2K${text === '' ? '' : dim(`   ${text} …`)}`)
}
