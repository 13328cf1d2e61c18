import type { Bench } from './rig/open-bench.ts'
import type { CpuShares } from './rig/cpu.ts'

/** One measured load or start: its figure, what the machine did meanwhile, and everything else that was counted. */
export type Sample = {
  readonly value: number
  /** How many answers were given meanwhile, where they are what the processors worked on. */
  readonly answers?: number
  readonly cpu?: CpuShares | undefined
  readonly details?: object
}

/** What was measured again and again under one name. */
export type Series = { readonly name: string; readonly samples: readonly Sample[] }

/** The bound that a figure is to keep. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** A figure that is judged, mostly a ratio: its median and range over the rounds, and its goal where it has one. */
export type Verdict = {
  /** Continues the figure to a sentence, e.g. `of the limit`. */
  readonly text: string
  readonly values: readonly number[]
  readonly unit: '×' | 's' | 'MB' | 'kB'
  readonly goal?: Goal | undefined
}

/** Something that must simply be so, whatever the speed. */
export type Check = { readonly text: string; readonly ok: boolean }

/** What one part of a measure found: series in one unit, the judgements on them and the checks of what was written. */
export type Finding = {
  readonly title: string
  readonly unit: string
  readonly series: readonly Series[]
  readonly verdicts: readonly Verdict[]
  readonly checks: readonly Check[]
}

/** A measure: one row of the table of goals, in a file of its own. */
export type Measure = {
  /** As in the table of goals, e.g. `P1`. */
  readonly id: string
  /** Left out of a quick run unless it is named: it waits for starts of the service, which no option shortens. */
  readonly isLong?: true
  readonly title: string
  /** Starts what it needs, measures, stops everything again, also when it fails. */
  run(bench: Bench): Promise<Finding[]>
}

/** The finding of something that could not be measured: the other findings of the run are kept. */
export const failed = (title: string, error: unknown): Finding => ({
  title,
  unit: '',
  series: [],
  verdicts: [],
  checks: [{ text: `could not be measured: ${error instanceof Error ? error.message : String(error)}`, ok: false }],
})

/** The middle of the values, of an even number of them the mean of the middle two; NaN of none. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2
}

/** Judges one series by another, round by round, so that what the machine did in a round hits both. */
export const compare = (text: string, subject: Series, yardstick: Series, goal?: Goal): Verdict => ({
  text,
  unit: '×',
  goal,
  values: subject.samples.map((sample, round) => sample.value / (yardstick.samples[round]?.value ?? NaN)),
})

/** Processor time of the server and its database for one answer, judged by another series as `compare` does; NaN where it is not known. */
export const compareTime = (text: string, subject: Series, yardstick: Series, goal?: Goal): Verdict => {
  const time = (sample: Sample | undefined): number =>
    sample?.cpu && sample.answers ? (sample.cpu.seconds.node + sample.cpu.seconds.postgres) / sample.answers : NaN
  const values = subject.samples.map((sample, round) => time(sample) / time(yardstick.samples[round]))
  return { text, unit: '×', goal, values }
}

/** Whether the median keeps the goal; true where there is none. */
export const isMet = ({ values, goal }: Verdict): boolean => {
  if (goal === undefined) return true
  return 'atLeast' in goal ? median(values) >= goal.atLeast : median(values) <= goal.atMost
}
