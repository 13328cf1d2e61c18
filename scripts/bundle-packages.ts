// The packages that the service takes along in its npm package, see `bundlePackages`.
import { cpSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { rolldown } from 'rolldown'

type Locked = {
  readonly version: string
  readonly resolved?: string
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** A package that the service needs. */
type NeededPackage = {
  /** Where it is in node_modules. */
  readonly path: string
  /** Where its files are: the same, or the folder of a workspace. */
  readonly source: string
  /** The paths of the packages that it needs, by their names. */
  readonly needs: ReadonlyMap<string, string>
  readonly version: string
}

const neededBy = ({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: Locked): string[] => [
  ...Object.keys(dependencies),
  ...Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true),
]

/** The packages that package-lock.json names for production, but no optional ones. */
const neededPackages = (root: string): NeededPackage[] => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  /** As Node.js looks for a package: next to those in the same folder, then further up. */
  const find = (name: string, from: string): string => {
    const path = join(from, 'node_modules', name)
    if (packages[path]) return path
    if (from === '') throw new Error(`package-lock.json lacks ${name}`)
    return find(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))))
  }
  const found = new Map<string, NeededPackage>()
  const add = (path: string): void => {
    if (found.has(path)) return
    const { link, resolved } = packages[path] as Locked
    const source = link ? (resolved ?? path) : path
    const locked = packages[source] as Locked
    const needs = new Map(neededBy(locked).map((name) => [name, find(name, source)]))
    found.set(path, { path, source, needs, version: locked.version })
    for (const each of needs.values()) add(each)
  }
  add('')
  return [...found.values()].filter(({ path }) => path !== '').toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** The paths of all modules that the service loads: what its files import or require, what that does, and so on. */
const loadedModules = async (root: string): Promise<Set<string>> => {
  const build = await rolldown({
    input: ['src/main.ts', 'src/cli/payin.ts', 'packages/database/src/embedded-worker.ts'].map((path) =>
      join(root, path),
    ),
    platform: 'node',
    // Extensions that a package would compile when it is installed, and does without.
    external: /^cpu-features$|\.node$/,
    resolve: {
      // As Node.js does; `import` and `require` are added where they apply.
      conditionNames: ['node', 'module-sync', 'node-addons', 'default'],
      mainFields: ['main'],
      // In a copy of the repository, node_modules may be a link.
      symlinks: false,
    },
    // Node.js also loads what nobody uses.
    treeshake: false,
    // It warns of packages that may be absent.
    logLevel: 'silent',
  })
  try {
    const { output } = await build.generate()
    const modules = output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []))
    return new Set(modules.map((id) => relative(root, id)))
  } finally {
    await build.close()
  }
}

const packageOf = (path: string): string | undefined => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]

/** What a package has besides its modules: its manifest, its licence, and what the embedded database reads. */
const isKept = (name: string): boolean => /^(?:package\.json|(?:licen[cs]e|notice).*)$|\.(?:wasm|data|tgz)$/i.test(name)

/** The manifest for npm, which finds the packages that are there, and runs and adds nothing. */
const bundledManifest = (text: string, dependencies: Readonly<Record<string, string>>): string => {
  const manifest = Object.entries(JSON.parse(text) as object).filter(
    ([key]) => !/^(?:scripts|(?:dev|optional|peer)Dependencies|peerDependenciesMeta)$/.test(key),
  )
  return `${JSON.stringify({ ...Object.fromEntries(manifest), dependencies }, null, 2)}\n`
}

/**
 * Copies all packages that the service loads, as package-lock.json chose them, and of each only the files that it loads:
 * a quarter. So an installation is what was tested, also where our `overrides` chose a version, which hold only in the
 * repository; it takes seconds, asks no registry, and works although some packages are in none. Returns their names.
 */
export const bundlePackages = async (
  root: string,
  to: string,
  writeLibrary: (from: string, to: string) => void,
): Promise<string[]> => {
  const loaded = await loadedModules(root)
  const owners = new Set([...loaded].map(packageOf))
  const kept = neededPackages(root).filter(({ path, source }) => source !== path || owners.has(path))
  const versions = new Map(kept.map(({ path, version }) => [path, version]))
  for (const { path, source, needs } of kept) {
    if (source !== path) writeLibrary(join(root, source), join(to, path))
    else
      cpSync(join(root, path), join(to, path), {
        recursive: true,
        filter: (each) =>
          lstatSync(each).isDirectory()
            ? basename(each) !== 'node_modules'
            : isKept(basename(each)) || loaded.has(relative(root, each)),
      })
    const manifest = join(to, path, 'package.json')
    const dependencies = [...needs].flatMap(([name, at]) => {
      const version = versions.get(at)
      return version === undefined ? [] : [[name, version] as const]
    })
    writeFileSync(manifest, bundledManifest(readFileSync(manifest, 'utf8'), Object.fromEntries(dependencies)))
  }
  return kept.flatMap(({ path }) =>
    path.lastIndexOf('node_modules/') === 0 ? [path.slice('node_modules/'.length)] : [],
  )
}
