import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join, relative } from 'node:path'
import { type Finding, isMet, type Measure, median } from './measure.ts'
import { root } from './rig/processes.ts'

/** The machine and versions that produced the figures. */
export type Machine = Readonly<
  Record<'processor' | 'cores' | 'memory' | 'kernel' | 'node' | 'postgres' | 'commit', string>
>

const git = (...args: string[]): string => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim()

/** Describes this machine and checkout. */
export const describeMachine = (postgresVersion: string): Machine => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: String(cpus().length),
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  kernel: release(),
  node: process.version,
  postgres: postgresVersion,
  commit: git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' and changes'),
})

/** Writes every run to bench/results and returns the file's path in the checkout. */
export const saveResults = (
  startedAt: Date,
  options: object,
  machine: Machine,
  results: readonly { measure: Measure; findings: readonly Finding[]; seconds: number }[],
): string => {
  const measures = results.map(({ measure: { id, title }, findings, seconds }) => ({
    id,
    title,
    seconds,
    findings: findings.map((finding) => ({
      ...finding,
      verdicts: finding.verdicts.map((verdict) => ({
        ...verdict,
        median: median(verdict.values),
        met: isMet(verdict),
      })),
    })),
  }))
  const folder = join(root, 'bench', 'results')
  mkdirSync(folder, { recursive: true })
  const name = startedAt.toISOString().slice(0, 19).replaceAll(':', '-')
  const file = join(folder, `${name}.json`)
  const content = { startedAt, seconds: (Date.now() - startedAt.getTime()) / 1000, options, machine, measures }
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
  return relative(root, file)
}
