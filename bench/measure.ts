import type { Bench } from './rig/open-bench.ts'
import type { CpuShares } from './rig/cpu.ts'

/** One measured load or start: its figure, which processes used the processors meanwhile, and other counts. */
export type Sample = {
  readonly value: number
  /** How many requests were answered meanwhile, if the processors worked on answers. */
  readonly answers?: number
  readonly cpu?: CpuShares | undefined
  readonly details?: object
}

/** The samples of something that was measured repeatedly. */
export type Series = { readonly name: string; readonly samples: readonly Sample[] }

/** The bound that a figure should keep. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** A figure that is judged, usually a ratio: a value per round, and its goal, if it has one. */
export type Verdict = {
  /** Continues the figure as a sentence, for example `of the limit`. */
  readonly text: string
  readonly values: readonly number[]
  readonly unit: '×' | 's' | 'MB' | 'kB'
  readonly goal?: Goal | undefined
}

/** A condition that must hold, whatever the speed. */
export type Check = { readonly text: string; readonly ok: boolean }

/** The result of one part of a measure: series in one unit, the verdicts on them, and checks of the written data. */
export type Finding = {
  readonly title: string
  readonly unit: string
  readonly series: readonly Series[]
  readonly verdicts: readonly Verdict[]
  readonly checks: readonly Check[]
}

/** A measure: one row of the table of goals, in its own file. */
export type Measure = {
  /** As in the table of goals, for example `P1`. */
  readonly id: string
  /** A quick run leaves it out unless it is named: it waits for starts of the service, which no option shortens. */
  readonly isLong?: true
  readonly title: string
  /** Starts what it needs, measures, and stops everything, even if it fails. */
  run(bench: Bench): Promise<Finding[]>
}

/** The finding for a part that could not be measured; the other findings of the run are kept. */
export const failed = (title: string, error: unknown): Finding => ({
  title,
  unit: '',
  series: [],
  verdicts: [],
  checks: [{ text: `could not be measured: ${error instanceof Error ? error.message : String(error)}`, ok: false }],
})

/** The median; NaN for no values. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2
}

/** Divides one series by another, round by round, so that a disturbance of the machine affects both. */
export const compare = (text: string, subject: Series, yardstick: Series, goal?: Goal): Verdict => ({
  text,
  unit: '×',
  goal,
  values: subject.samples.map((sample, round) => sample.value / (yardstick.samples[round]?.value ?? NaN)),
})

/**
 * Divides the processor time per answer, of the server and its database, by that of another series, as `compare` does.
 * NaN if it is not known.
 */
export const compareTime = (text: string, subject: Series, yardstick: Series, goal?: Goal): Verdict => {
  const time = (sample: Sample | undefined): number =>
    sample?.cpu && sample.answers ? (sample.cpu.seconds.node + sample.cpu.seconds.postgres) / sample.answers : NaN
  const values = subject.samples.map((sample, round) => time(sample) / time(yardstick.samples[round]))
  return { text, unit: '×', goal, values }
}

/** Whether the median keeps the goal; true without a goal. */
export const isMet = ({ values, goal }: Verdict): boolean => {
  if (goal === undefined) return true
  return 'atLeast' in goal ? median(values) >= goal.atLeast : median(values) <= goal.atMost
}
