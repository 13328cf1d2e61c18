// `npm run pack`: writes each package as npm gets it into dist/, with a list of what they contain, and the checksums of
// all. They have JavaScript, because Node.js runs no TypeScript in node_modules. The same commit gives the same bytes.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** The folders of the packages; the service, in the root, comes last because it takes some of them along. */
const libraries = ['packages/bank-files', 'packages/bank-messages', 'packages/database', 'sdk', 'plugins/medusa']

/** What the service reads besides its modules, and what people need to install and operate it. */
const taken = [
  ...['console/dist', 'site/dist', 'migrations', 'docs', 'deploy', '.env.example'],
  ...['console/languages', 'src/cli/languages'],
  ...['README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md'],
]

type Manifest = Readonly<Record<string, unknown>> & { readonly name: string; readonly version: string }

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

const writeManifest = (folder: string, manifest: object): void =>
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)

const run = (program: string, args: readonly string[], cwd = root): string => {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stdout + stderr}`)
  return stdout
}

/** `npm run check` has checked the types. */
const compile = (project: string, from: string, to: string): string =>
  run(join(root, 'node_modules/.bin/tsc'), ['--project', project, '--noCheck', '--rootDir', from, '--outDir', to])

/** Writes a library of the repository into a folder: its src/*.ts have become dist/*.js. */
export const writeLibrary = (from: string, to: string): void => {
  compile(from, join(from, 'src'), join(to, 'dist'))
  const text = JSON.stringify({ ...readManifest(from), files: ['dist'] })
  writeManifest(to, JSON.parse(text.replaceAll(/"(?:\.\/)?src\/([^"]+)\.ts"/g, '"./dist/$1.js"')) as object)
  copyFileSync(join(from, 'README.md'), join(to, 'README.md'))
  copyFileSync(join(root, 'LICENSE'), join(to, 'LICENSE'))
}

/** Writes the service into a folder; the layout is that of the repository, so that every path between files is right. */
export const writeService = async (to: string): Promise<void> => {
  const from = (path: string): string => join(root, path)
  compile(from('tsconfig.package.json'), root, to)
  cpSync(from('src'), join(to, 'src'), {
    recursive: true,
    // A script for the browser must not have the name of a module.
    force: false,
    errorOnExist: true,
    // The compiler writes what is imported: modules and JSON.
    filter: (path) => !['.ts', '.json'].includes(extname(path)),
  })
  for (const script of ['site/build-site.ts', 'console/build-console.ts']) run(process.execPath, [from(script)])
  const left = new Set(['docs/images', 'docs/decisions', 'deploy/secrets', 'deploy/observe/alerts.test.yaml'].map(from))
  for (const path of taken) cpSync(from(path), join(to, path), { recursive: true, filter: (each) => !left.has(each) })
  // Here, because the bundler takes long to load, and the libraries do not need it.
  const { bundlePackages } = await import('./bundle-packages.ts')
  const bundled = await bundlePackages(root, to, writeLibrary)
  const { name, version, description, license, type, dependencies } = readManifest(root)
  writeManifest(to, {
    ...{ name, version, description, license, type },
    engines: { node: '>=22.18' },
    bin: { payin: 'src/cli/payin.js' },
    dependencies: Object.fromEntries(Object.entries(dependencies as object).filter(([each]) => bundled.includes(each))),
    bundleDependencies: bundled,
  })
}

type Component = { name: string; readonly purl: string }
type Sbom = {
  serialNumber?: string
  readonly metadata: { timestamp?: string; readonly component: Component }
  readonly components: readonly Component[]
}

/**
 * Writes the list of all packages that are delivered, those that the console is made of included (CycloneDX). npm makes
 * it of a package-lock.json without the others, because `--omit=dev` leaves out what is also needed for development.
 */
const writeSbom = (to: string): void => {
  const { name, version } = readManifest(root)
  const parent = mkdtempSync(join(tmpdir(), 'payin-sbom-'))
  try {
    const made = join(parent, name)
    mkdirSync(made)
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, Record<string, unknown>>
    }
    const packages = Object.entries(lock.packages).flatMap(
      ([path, { devDependencies: _, optionalDependencies: _o, ...rest }]) =>
        rest['dev'] || rest['optional'] || rest['devOptional'] ? [] : [[path, rest] as const],
    )
    writeFileSync(join(made, 'package-lock.json'), JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }))
    writeManifest(made, { ...readManifest(root), devDependencies: undefined, optionalDependencies: undefined })
    const sbom = JSON.parse(run('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], made)) as Sbom
    // These differ from one run to the next.
    delete sbom.serialNumber
    delete sbom.metadata.timestamp
    // npm calls a workspace by its folder.
    for (const component of sbom.components)
      component.name = decodeURIComponent(component.purl.replace(/^pkg:npm\/|@[^@]*$/g, ''))
    writeFileSync(join(to, `${name}-${version}.cdx.json`), `${JSON.stringify(sbom, null, 2)}\n`)
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}

const checksumOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

/** Writes the packages, the list of what is in them, and the checksums of all into an empty folder. */
export const packAll = async (to: string): Promise<void> => {
  mkdirSync(to, { recursive: true })
  for (const folder of [...libraries, '.']) {
    const made = mkdtempSync(join(tmpdir(), 'payin-pack-'))
    try {
      if (folder === '.') await writeService(made)
      else writeLibrary(join(root, folder), made)
      run('npm', ['pack', made, '--ignore-scripts', '--pack-destination', to])
    } finally {
      rmSync(made, { recursive: true, force: true })
    }
  }
  writeSbom(to)
  const lines = readdirSync(to).map((name) => `${checksumOf(join(to, name))}  ${name}\n`)
  writeFileSync(join(to, 'SHA256SUMS'), lines.toSorted((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join(''))
}

const main = async (): Promise<void> => {
  const to = join(root, 'dist')
  rmSync(to, { recursive: true, force: true })
  await packAll(to)
  process.stdout.write(readFileSync(join(to, 'SHA256SUMS'), 'utf8'))
}

// Not awaited, because test files import this one and are loaded synchronously.
if (import.meta.main) void main()
