/** What ends a command: lines for standard error and the exit code, 1 for a refusal and 2 for wrong usage. */
export class Failure extends Error {
  readonly exitCode: 1 | 2

  constructor(lines: readonly string[], exitCode: 1 | 2 = 1) {
    super(lines.join('\n'))
    this.name = 'Failure'
    this.exitCode = exitCode
  }
}
