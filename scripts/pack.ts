// `npm run pack`: writes each package as npm gets it into dist/, with the checksums of all. They have JavaScript and
// types, because Node.js runs no TypeScript in node_modules. The same commit gives the same bytes.
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
  ...['console/dist', 'migrations', 'docs', 'sdk/README.md', 'deploy', '.env.example'],
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
    filter: (path) => extname(path) !== '.ts',
  })
  run(process.execPath, [from('console/build-console.ts')])
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

const packed = (folder: string, to: string): string =>
  run('npm', ['pack', folder, '--ignore-scripts', '--silent', '--pack-destination', to]).trim()

/** Writes the packages, or those whose folders are named (`.` is the service), and returns the names of their files. */
export const packAll = async (to: string, folders: readonly string[] = [...libraries, '.']): Promise<string[]> => {
  mkdirSync(to, { recursive: true })
  const written: string[] = []
  for (const folder of folders) {
    const made = mkdtempSync(join(tmpdir(), 'payin-pack-'))
    try {
      if (folder === '.') await writeService(made)
      else writeLibrary(join(root, folder), made)
      written.push(packed(made, to))
    } finally {
      rmSync(made, { recursive: true, force: true })
    }
  }
  const sums = readdirSync(to)
    .filter((name) => name !== 'SHA256SUMS')
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(to, name)))
          .digest('hex')}  ${name}\n`,
    )
  writeFileSync(join(to, 'SHA256SUMS'), sums.join(''))
  return written
}

const main = async (): Promise<void> => {
  const to = join(root, 'dist')
  rmSync(to, { recursive: true, force: true })
  for (const name of await packAll(to)) console.log(join('dist', name))
}

// Not awaited, because test files import this one and are loaded synchronously.
if (import.meta.main) void main()
