// `npm run build:console`: builds the console into console/dist, unless what is there was made of the same sources.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const root = resolve(import.meta.dirname, '..')
const built = join(root, 'console', 'dist')
/** Holds the hash of what the build was made of. */
const hashName = 'sources.sha256'

// Rules and declarations of the service are part of the console, too.
const sources = ['console/**/*', 'src/{rules,operations}/**/*.ts', 'package-lock.json']

const hashSources = (): string => {
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

const readHash = (): Promise<string | undefined> => readFile(join(built, hashName), 'utf8').catch(() => undefined)

/** Writes each file a second and third time, compressed, so that the service compresses nothing. */
const compressAll = async (folder: string): Promise<void> => {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    // The page has a nonce of its own in each answer.
    if (!entry.isFile() || entry.name.endsWith('.html')) continue
    const path = join(entry.parentPath, entry.name)
    const content = await readFile(path)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
    await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }))
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
  }
}

/** Puts a finished build into its place in one step. Another process may have done the same meanwhile. */
const putInPlace = async (folder: string, hash: string): Promise<void> => {
  const old = `${folder}-old`
  await rename(built, old).catch(() => undefined)
  await rename(folder, built).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true })
    if ((await readHash()) !== hash) throw error
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
const removeAbandoned = async (): Promise<void> => {
  for (const name of await readdir(join(root, 'console'))) {
    const pid = /^dist-(\d+)(?:-old)?$/.exec(name)?.[1]
    if (pid === undefined || isRunning(Number(pid))) continue
    await rm(join(root, 'console', name), { recursive: true, force: true })
  }
}

/** Ends a build that is stopped, for instance with the service that has started it. */
const giveUp = (folder: string): never => {
  rmSync(folder, { recursive: true, force: true })
  process.exit(1)
}

/** Builds the console if its sources have changed since the last build; returns whether they had. */
const buildConsole = async (): Promise<boolean> => {
  await removeAbandoned()
  const hash = hashSources()
  if ((await readHash()) === hash) return false
  const folder = `${built}-${process.pid}`
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => giveUp(folder))
  // Here, because loading it takes longer than finding out that there is nothing to build.
  const { build } = await import('vite')
  await mkdir(folder, { recursive: true })
  try {
    await build({
      configFile: join(root, 'console', 'vite.config.ts'),
      root: join(root, 'console'),
      mode: 'production',
      logLevel: 'warn',
      build: { outDir: folder, emptyOutDir: true },
    })
    await compressAll(folder)
    writeFileSync(join(folder, hashName), hash)
    await putInPlace(folder, hash)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return true
}

const startedAt = performance.now()
const isNew = await buildConsole()
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
console.log(isNew ? `The console was built in ${seconds} s.` : 'The console is up to date.')
