import { day, hour, minute, second } from '../../src/rules/time.ts'

const units = [
  ['d', day],
  ['h', hour],
  ['m', minute],
  ['s', second],
] as const

/** A span in its largest whole unit, such as `4h`, as fields take it. */
export const formatSpan = (ms: number): string => {
  const [unit, length] = units.find(([, each]) => ms % each === 0) ?? ['s', second]
  return `${Math.round(ms / length)}${unit}`
}

/** The milliseconds of a span such as `30m`, `4h` or `1d`; undefined for anything else. */
export const parseSpan = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,4}) ?([smhd])$/.exec(text.trim()) ?? []
  const length = units.find(([name]) => name === unit)?.[1]
  return length === undefined ? undefined : Number(count) * length
}
