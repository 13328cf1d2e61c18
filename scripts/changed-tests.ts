// Which test files a change touches, for `npm test -- --changed`.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { importsOf, scanSource } from '../test/support/source-text.ts'

/**
 * Modules that combine others, so that every test of a service loads everything through them. Beyond them, a test
 * reaches what all services share, and of the rest only what the test names.
 */
const composers = new Set([
  'src/process/start-service.ts',
  'src/http/server.ts',
  'src/http/merchant-api/merchant-api.ts',
  'src/http/operator-api/operator-api.ts',
  'src/process/jobs/jobs.ts',
  'src/engine/invariants/check-invariants.ts',
  'src/cli/commands.ts',
])

/** Code that every service runs, whatever a test does. */
const sharedByAll =
  /^(?:src\/(?:main\.ts|engine\/context\.ts|http\/(?:[^/]+|(?:errors|routes|access|server)\/.+)|(?:process|secrets|settings)\/.+)|packages\/database\/.+)$/

/** Tests take the address of a payer's page from an answer and never spell it out. */
const paymentPage = { module: 'src/http/payment-page/payment-page.ts', word: 'redirectUrl' }

/** Path words that do not say what a module is for. */
const vagueWords = new Set([
  'src',
  'engine',
  'rules',
  'http',
  'cli',
  'process',
  'jobs',
  'invariants',
  'merchant-api',
  'operator-api',
  'store',
])

/** Files on which everything depends. */
const foundations = new Set(['package.json', 'package-lock.json', 'scripts/test.ts', 'test/support/run-files.ts'])

/** Tests that read the whole tree. */
const readsEverything = 'test/tidy.test.ts'

/** Tests that read documents by a pattern, and not by their names. */
const readDocuments = new Set([
  'test/docs.test.ts',
  'test/docs-in-russian.test.ts',
  'test/metrics/runbooks.test.ts',
  'test/words.test.ts',
])

/** Files by path; only the texts of modules are used. */
export type Sources = ReadonlyMap<string, string>

type Module = { readonly imports: readonly string[]; readonly words: ReadonlySet<string>; readonly routes: string[][] }

const isModule = (path: string): boolean => /\.(?:ts|cjs)$/.test(path)

/** Fixed parts of the addresses that a module serves: `/disputes/:id/accept` is `disputes`, `accept`. */
const routesOf = (text: string): string[][] =>
  [...text.matchAll(/\.(?:get|post|put|patch|delete|route)\(\s*'(\/[^']*)'/g)]
    .map((match) => (match[1] ?? '').split('/').filter((part) => /^\w/.test(part)))
    .filter((parts) => parts.length > 0)

/** Files by the base name, and modules of packages by the specifier, under which others know them. */
type Named = { readonly named: ReadonlyMap<string, readonly string[]>; readonly entries: ReadonlyMap<string, string> }

type Manifest = {
  readonly name: string
  readonly exports: Readonly<Record<string, string>>
  /** Patterns of files that the package loads only when it needs them. */
  readonly imports?: Readonly<Record<string, { readonly default: string }>>
}

/** The packages of this repository, by their folders. */
const packagesOf = (sources: Sources): [folder: string, Manifest][] =>
  [...sources].flatMap(([path, text]): [string, Manifest][] =>
    /^packages\/[^/]+\/package\.json$/.test(path) ? [[posix.dirname(path), JSON.parse(text) as Manifest]] : [],
  )

/** The modules that the packages export, by their specifiers. */
const entriesOf = (sources: Sources): Map<string, string> =>
  new Map(
    packagesOf(sources).flatMap(([folder, { name, exports }]) =>
      Object.entries(exports).map(([entry, file]) => [posix.join(name, entry), posix.join(folder, file)]),
    ),
  )

/** The files that a package loads only when it needs them, by its main entry: who imports another one needs none. */
const loadedLater = (sources: Sources): Map<string, string[]> =>
  new Map(
    packagesOf(sources).map(([folder, { exports, imports = {} }]) => {
      const patterns = Object.values(imports).map((each) => posix.join(folder, each.default).split('*'))
      const files = [...sources.keys()].filter((path) =>
        patterns.some(([start = '', end = '']) => path.startsWith(start) && path.endsWith(end)),
      )
      return [posix.join(folder, exports['.'] ?? ''), files]
    }),
  )

/** The folder of the package that a file belongs to, if any. */
const packageOf = (path: string): string | undefined => /^packages\/[^/]+/.exec(path)?.[0]

/** The files that a module imports or names in a text: files, folders, and modules that run in a separate process. */
const readModule = (path: string, text: string, { named, entries }: Named): Module => {
  const source = scanSource(text)
  const imports = importsOf(source)
    .filter(({ typeOnly }) => !typeOnly)
    .flatMap(({ specifier }) =>
      specifier.startsWith('.') ? [posix.join(posix.dirname(path), specifier)] : [entries.get(specifier) ?? []].flat(),
    )
  const others = [...source.strings.values()].flatMap((value) => named.get(basename(value)) ?? [])
  return {
    imports: [...new Set([...imports, ...others])],
    words: new Set(text.match(/[a-z][a-z0-9-]+/gi) ?? []),
    routes: path.startsWith('src/http/') ? routesOf(text) : [],
  }
}

/** Files that are named instead of imported, by their base name; migrations by their folder. */
const nameFiles = (paths: Iterable<string>): Map<string, string[]> => {
  const named = new Map<string, string[]>()
  const add = (name: string, path: string): void => void named.set(name, [...(named.get(name) ?? []), path])
  for (const path of paths) {
    if (path.startsWith('migrations/')) add('migrations', path)
    else if (!path.endsWith('.ts') || /(?:^src\/(?:main|cli\/payin)|-worker|-child)\.ts$/.test(path)) {
      add(basename(path), path)
    }
  }
  return named
}

/** Everything that a test file runs, including itself. */
const reach = (test: string, modules: ReadonlyMap<string, Module>): Set<string> => {
  const reached = new Set<string>()
  const composed = new Set<string>()
  const follow = (path: string): void => {
    if (reached.has(path)) return
    reached.add(path)
    const imports = modules.get(path)?.imports ?? []
    if (!composers.has(path)) return imports.forEach(follow)
    for (const each of imports) {
      if (composers.has(each) || sharedByAll.test(each) || !each.startsWith('src/')) follow(each)
      else composed.add(each)
    }
  }
  follow(test)
  const wordsOf = (path: string): string[] => [...(modules.get(path)?.words ?? [])]
  const own = new Set(wordsOf(test))
  const helped = new Set([...reached].filter((path) => /^(?:packages\/[^/]+\/)?test\//.test(path)).flatMap(wordsOf))
  const names = (path: string): boolean => {
    if (path === paymentPage.module && helped.has(paymentPage.word)) return true
    const routes = modules.get(path)?.routes ?? []
    if (routes.length > 0) return routes.some((parts) => parts.every((part) => helped.has(part)))
    const words = path.replace(/\.ts$/, '').split('/')
    return words.some((word) => !vagueWords.has(word) && (own.has(word) || test.includes(word)))
  }
  for (const path of composed) if (names(path)) follow(path)
  return reached
}

/** The test files that run any of the changed files. If no test seems to reach a module, every service counts. */
export const selectTests = (sources: Sources, changed: readonly string[]): string[] => {
  const tests = [...sources.keys()].filter((path) => path.endsWith('.test.ts')).toSorted()
  if (changed.length === 0) return []
  if (changed.some((path) => foundations.has(path))) return tests
  // Deleted files are named by those that needed them.
  const named = nameFiles(new Set([...sources.keys(), ...changed]))
  const entries = entriesOf(sources)
  const later = loadedLater(sources)
  const modules = new Map(
    [...sources]
      .filter(([path]) => isModule(path))
      .map(([path, text]): [string, Module] => {
        const module = readModule(path, text, { named, entries })
        return [path, { ...module, imports: [...module.imports, ...(later.get(path) ?? [])] }]
      }),
  )
  const reached = new Map(tests.map((test) => [test, reach(test, modules)]))
  const isReached = (path: string): boolean => tests.some((test) => reached.get(test)?.has(path))
  const wanted = new Set(changed)
  for (const path of changed) {
    if (path.startsWith('src/') && sources.has(path) && !isReached(path)) wanted.add('src/process/start-service.ts')
  }
  // The tests of a package are few and fast.
  const packages = new Set(changed.flatMap((path) => packageOf(path) ?? []))
  const isOfPackage = (test: string): boolean => packages.has(packageOf(test) ?? '')
  const runsAny = (test: string): boolean => [...wanted].some((path) => reached.get(test)?.has(path))
  const documents = changed.some((path) => path.endsWith('.md'))
  const readsAny = (test: string): boolean => test === readsEverything || (documents && readDocuments.has(test))
  return tests.filter((test) => readsAny(test) || isOfPackage(test) || runsAny(test))
}

/** The commit to compare with, and the files that differ from it. */
export type Changes = { readonly since: string; readonly changed: readonly string[] }

/**
 * The files of a git repository, committed or not, that differ from where the branch left main, or from the given
 * commit. Undefined if there is no repository or no such commit.
 */
export const listChanged = (folder: string, since?: string): Changes | undefined => {
  const git = (...args: string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    return status === 0 ? stdout : undefined
  }
  const base = since
    ? git('rev-parse', '--verify', '--quiet', `${since}^{commit}`)
    : (git('merge-base', 'HEAD', 'origin/main') ?? git('merge-base', 'HEAD', 'main') ?? git('rev-parse', 'HEAD'))
  if (base === undefined) return undefined
  const edited = git('diff', '--name-only', '--no-renames', '-z', base.trim()) ?? ''
  const added = git('ls-files', '--others', '--exclude-standard', '-z') ?? ''
  return { since: base.trim().slice(0, 10), changed: (edited + added).split('\0').filter((path) => path !== '') }
}

/** The repository's files that tests may depend on. */
export const readSources = (folder: string): Sources =>
  new Map(
    ['{src,site,packages,test,scripts,bin,docs,migrations}/**/*.*', '*.*']
      .flatMap((pattern) => globSync(pattern, { cwd: folder }))
      .filter((path) => !path.includes('node_modules'))
      .map((path) => [
        path,
        isModule(path) || path.startsWith('packages/') ? readFileSync(join(folder, path), 'utf8') : '',
      ]),
  )
