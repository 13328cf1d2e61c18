/** What ends a command: lines for standard error and the exit code, 1 for a refusal and 2 for wrong usage. */
export class Failure extends Error {
  readonly exitCode: 1 | 2
  /** The service's word for its refusal. */
  readonly code: string | undefined

  constructor(lines: readonly string[], exitCode: 1 | 2 = 1, code?: string) {
    super(lines.join('\n'))
    this.name = 'Failure'
    this.exitCode = exitCode
    this.code = code
  }
}
