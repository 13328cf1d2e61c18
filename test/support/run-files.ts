import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { suite } from 'node:test'

const root = resolve(import.meta.dirname, '..', '..')
const load = createRequire(import.meta.url)

/**
 * Time limit of a file in total, and of each of its tests, so that one that hangs ends: files that start and kill processes
 * take over five minutes on a busy machine. scripts/torture.ts gives its experiments more.
 */
const timeoutMs = 900_000 + Number(process.env['PAYIN_TEST_MINUTES'] ?? 0) * 4 * 60_000

/** Creates a queue of test files in `folder`; processes that get its path share the work. */
export const createQueue = (folder: string, files: readonly string[]): string => {
  const queue = mkdtempSync(join(folder, 'queue-'))
  writeFileSync(join(queue, 'files'), files.join('\n'))
  return queue
}

const filesOf = (queue: string): string[] => readFileSync(join(queue, 'files'), 'utf8').split('\n')

/** Only one process succeeds in creating a folder. */
const take = (queue: string, index: number): boolean => {
  try {
    mkdirSync(join(queue, String(index)))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Runs files of a queue in this process, one after another, each as a suite, until none is left. Loading and compiling
 * the service takes a second, which is spent once for many files.
 */
export const runFiles = async (queue: string): Promise<void> => {
  for (const [index, file] of filesOf(queue).entries()) {
    if (!take(queue, index)) continue
    const startedAt = performance.now()
    // Not by `import`: a suite must know its tests when it begins, to leave out those that a name pattern excludes.
    await suite(file, { timeout: timeoutMs }, () => void load(join(root, file)))
    writeFileSync(join(queue, String(index), 'done'), String(Math.round(performance.now() - startedAt)))
  }
}

/** The files of a queue that were not finished because their processes died. */
export const unfinishedFiles = (queue: string): string[] =>
  filesOf(queue).filter((_, index) => !existsSync(join(queue, String(index), 'done')))

/** How long each finished file took, the slowest first. */
export const slowestFiles = (queues: readonly string[]): { readonly file: string; readonly ms: number }[] =>
  queues
    .flatMap((queue) =>
      filesOf(queue).flatMap((file, index) => {
        const done = join(queue, String(index), 'done')
        return existsSync(done) ? [{ file, ms: Number(readFileSync(done, 'utf8')) }] : []
      }),
    )
    .toSorted((a, b) => b.ms - a.ms)
