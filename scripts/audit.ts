// `npm run audit`: fails if a package that is delivered has a known vulnerability that is high or critical. Where the
// registry gives no answer, it says so and passes, except with `--required`, as for a release.
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

type Answer = {
  readonly message?: string
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly severity: string; readonly range: string; readonly via: readonly (string | Advisory)[] }>
  >
}
type Advisory = { readonly title: string; readonly url: string }

/** What `npm audit --json` has found, in lines; undefined if it had no answer. */
export const judgeAudit = (
  text: string,
): { readonly lines: readonly string[]; readonly failed: boolean } | undefined => {
  const { vulnerabilities } = JSON.parse(text) as Answer
  if (vulnerabilities === undefined) return undefined
  const found = Object.entries(vulnerabilities)
  const lines = found.map(([name, { severity, range, via }]) => {
    const reasons = via.map((each) => (typeof each === 'string' ? `by ${each}` : `${each.title} (${each.url})`))
    return `${severity}: ${name} ${range}: ${reasons.join('; ')}`
  })
  return { lines, failed: found.some(([, { severity }]) => severity === 'high' || severity === 'critical') }
}

if (import.meta.main) {
  const args = ['audit', '--omit=dev', '--omit=optional', '--package-lock-only', '--json']
  const { stdout, stderr } = spawnSync('npm', args, { cwd: resolve(import.meta.dirname, '..'), encoding: 'utf8' })
  const judged = judgeAudit(stdout || '{}')
  if (judged === undefined) {
    const line = '!'.repeat(100)
    console.error([line, 'NOT RUN: the search for known vulnerabilities. Reason:', stderr.trim(), line].join('\n'))
  } else {
    console.log(judged.lines.length === 0 ? 'No package has a known vulnerability.' : judged.lines.join('\n'))
  }
  process.exitCode = (judged?.failed ?? process.argv.includes('--required')) ? 1 : 0
}
