// Builds a folder of static files, unless what is there was made of the same sources.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
/** Holds the hash of what the build was made of. */
const hashName = 'sources.sha256'

/** What is built, and of what. */
export type Build = {
  /** Begins the messages, such as `The console`. */
  readonly name: string
  /** The folder that it is built into. */
  readonly built: string
  /** Patterns of all files that it is made of. */
  readonly sources: readonly string[]
  /** Writes it into an empty folder. */
  readonly make: (folder: string) => Promise<void>
}

const hashSources = (sources: readonly string[]): string => {
  const hash = createHash('sha256')
  const files = globSync(sources, {
    cwd: root,
    withFileTypes: true,
    exclude: (entry) => entry.name === 'node_modules' || entry.name.startsWith('dist'),
  })
  const paths = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const path of paths.toSorted()) hash.update(path.slice(root.length)).update('\0').update(readFileSync(path))
  return hash.digest('hex')
}

const readHash = (built: string): Promise<string | undefined> =>
  readFile(join(built, hashName), 'utf8').catch(() => undefined)

/** Puts a finished build into its place in one step. Another process may have done the same meanwhile. */
const putInPlace = async (folder: string, built: string, hash: string): Promise<void> => {
  const old = `${folder}-old`
  await rename(built, old).catch(() => undefined)
  await rename(folder, built).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true })
    if ((await readHash(built)) !== hash) throw error
  })
  await rm(old, { recursive: true, force: true })
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user, which may not be signalled, runs as well.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Removes what builds have left that were killed. */
const removeAbandoned = async (parent: string): Promise<void> => {
  for (const name of await readdir(parent)) {
    const pid = /^dist-(\d+)(?:-old)?$/.exec(name)?.[1]
    if (pid === undefined || isRunning(Number(pid))) continue
    await rm(join(parent, name), { recursive: true, force: true })
  }
}

/** Builds it if its sources have changed since the last build; returns whether they had. */
const buildAgain = async ({ built, sources, make }: Build): Promise<boolean> => {
  await removeAbandoned(dirname(built))
  const hash = hashSources(sources)
  if ((await readHash(built)) === hash) return false
  const folder = `${built}-${process.pid}`
  // A build may be stopped, for instance with the service that has started it.
  const giveUp = (): void => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(1)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, giveUp)
  await mkdir(folder, { recursive: true })
  try {
    await make(folder)
    await writeFile(join(folder, hashName), hash)
    await putInPlace(folder, built, hash)
  } finally {
    await rm(folder, { recursive: true, force: true })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, giveUp)
  }
  return true
}

/** Builds it if its sources have changed, and returns what there is to say about that. */
export const buildOnce = async (build: Build): Promise<string> => {
  const startedAt = performance.now()
  const isNew = await buildAgain(build)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  return isNew ? `${build.name} was built in ${seconds} s.` : `${build.name} is up to date.`
}
