import { spawnSync } from 'node:child_process'

/** The programs that run samples of the documentation, by the language of their blocks. */
const programs = { sh: 'curl', python: 'python3', php: 'php' } as const

/** Why samples in a language cannot run here; undefined if they can. */
export const withoutInterpreter = (language: string): string | undefined => {
  const program = programs[language as keyof typeof programs]
  if (program === undefined) return undefined
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
    ? undefined
    : `there is no ${program} (Debian: apt-get install ${program === 'php' ? 'php-cli' : program})`
}

/** Why some samples cannot run here. */
export const missingInterpreters = (): readonly string[] =>
  Object.keys(programs).flatMap((language) => withoutInterpreter(language) ?? [])
