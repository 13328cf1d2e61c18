import { say } from './say.ts'
import { shortenIds } from '../rules/values/short-ids.ts'

/** Exit codes of failed commands. `help` and docs/command-line.md describe them, too. */
export const exitCodes = {
  /** The service refused the command, or reports something wrong. */
  refused: 1,
  /** Wrong usage: nothing was sent. */
  usage: 2,
  /** The service did not answer: nobody knows whether the command was carried out. */
  unanswered: 3,
} as const

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A problem document of the service, and what `payin` adds to it. */
export type Problem = {
  readonly code: string
  readonly title?: string
  readonly detail: string
  readonly errors?: readonly { readonly field: string; readonly message: string }[]
  /** What an ambiguous name may mean. */
  readonly candidates?: readonly { readonly id: string; readonly about: string }[]
  readonly hint?: string
  /** Of several files, the one that was refused. */
  readonly file?: string
}

const shownErrors = 20

const candidateLines = (candidates: NonNullable<Problem['candidates']>): string[] => {
  const ids = shortenIds(candidates.map(({ id }) => id))
  return candidates.map(({ about }, index) => `  ${ids[index]}  ${about}`)
}

const describe = ({ code, title, detail, errors = [], candidates = [], hint }: Problem): string => {
  const more = errors.length - shownErrors
  // With field errors the title suffices: the detail would repeat them.
  const what = errors.length > 0 && title !== undefined ? `${title}.` : detail
  return [
    [`${code}:`, say(what), hint && say(hint)].filter(Boolean).join(' '),
    ...errors.slice(0, shownErrors).map(({ field, message }) => `  ${[field, say(message)].filter(Boolean).join(' ')}`),
    ...(more > 0 ? [say(`  and ${more} more`)] : []),
    ...candidateLines(candidates),
  ].join('\n')
}

const codeOf: Readonly<Record<ExitCode, string>> = { 1: 'refused', 2: 'usage', 3: 'no_answer' }

/** The failure that ends a command: a text for standard error, or JSON with `--json`, and the exit code. */
export class Failure extends Error {
  readonly exitCode: ExitCode
  readonly problem: Problem

  constructor(lines: readonly string[] | Problem, exitCode: ExitCode = exitCodes.refused) {
    const problem = 'code' in lines ? lines : { code: codeOf[exitCode], detail: lines.join('\n') }
    super('code' in lines ? describe(problem) : say(problem.detail))
    this.name = 'Failure'
    this.exitCode = exitCode
    this.problem = problem
  }

  with(changed: Partial<Problem>): Failure {
    return new Failure({ ...this.problem, ...changed }, this.exitCode)
  }
}

/** A failure as `--json` prints it on standard error: the problem of the service, or one of the same form. */
export const failureJson = ({ problem, exitCode }: Pick<Failure, 'problem' | 'exitCode'>): string =>
  JSON.stringify({ ...problem, exitCode })
