import { shortenIds } from './short-ids.ts'

/** How a command that failed ends; `help` and docs/command-line.md describe it, too. */
export const exitCodes = {
  /** The service refused it, or reports something wrong. */
  refused: 1,
  /** Wrong usage: nothing was sent. */
  usage: 2,
  /** The service did not answer: whether it was done is unknown. */
  unanswered: 3,
} as const

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A refusal of the service, as it comes over the wire, and what `payin` adds to it. */
export type Problem = {
  readonly code: string
  readonly title?: string
  readonly detail: string
  readonly errors?: readonly { readonly field: string; readonly message: string }[]
  /** What an ambiguous name may mean. */
  readonly candidates?: readonly { readonly id: string; readonly about: string }[]
  /** What to do next. */
  readonly hint?: string
}

const shownErrors = 20

const candidateLines = (candidates: NonNullable<Problem['candidates']>): string[] => {
  const ids = shortenIds(candidates.map(({ id }) => id))
  return candidates.map(({ about }, index) => `  ${ids[index]}  ${about}`)
}

const describe = ({ code, title, detail, errors = [], candidates = [], hint }: Problem): string => {
  const more = errors.length - shownErrors
  return [
    // The detail would repeat the fields.
    [`${code}:`, errors.length > 0 && title !== undefined ? `${title}.` : detail, hint].filter(Boolean).join(' '),
    ...errors.slice(0, shownErrors).map((error) => `  ${error.field === '' ? '' : `${error.field} `}${error.message}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...candidateLines(candidates),
  ].join('\n')
}

const codeOf: Readonly<Record<ExitCode, string>> = { 1: 'refused', 2: 'usage', 3: 'no_answer' }

/** What ends a command: a text for standard error, or JSON there, and the exit code. */
export class Failure extends Error {
  readonly exitCode: ExitCode
  readonly problem: Problem

  constructor(lines: readonly string[] | Problem, exitCode: ExitCode = exitCodes.refused) {
    const problem = 'code' in lines ? lines : { code: codeOf[exitCode], detail: lines.join('\n') }
    super('code' in lines ? describe(problem) : problem.detail)
    this.name = 'Failure'
    this.exitCode = exitCode
    this.problem = problem
  }

  /** The same with other words or a hint. */
  with(changed: Partial<Problem>): Failure {
    return new Failure({ ...this.problem, ...changed }, this.exitCode)
  }
}

/** A failure as `--json` has it on standard error: the problem of the service, or one in its form. */
export const failureJson = ({ problem, exitCode }: Pick<Failure, 'problem' | 'exitCode'>): string =>
  JSON.stringify({ ...problem, exitCode })
