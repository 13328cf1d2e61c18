// The house rules that no other tool checks. A rule that gets in the way is changed here, with its reason.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join, posix, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { readMigrations } from 'payin-database/migrations'
import { refuseMigration } from './support/house-migrations.ts'
import { type LockedPackage, missingOptional, refuseLocked } from './support/house-packages.ts'
import {
  allowed,
  areas,
  consoleTypes,
  consoleValues,
  databaseOpeners,
  fileReader,
  foreignWrites,
  httpFolders,
  onlyIn,
  ownColumns,
  readsEverything,
  ruleFolders,
  siteTypes,
  siteValues,
  tables,
} from './support/house-rules.ts'
import { exportsOf, importsOf, lineAt, type SourceText, scanSource } from './support/source-text.ts'

const root = resolve(import.meta.dirname, '..')

/** Files of src/ that may be longer than the limit: path → why. */
const longFiles: Readonly<Record<string, string>> = {}
const longestFile = 400

/** Where the clock and randomness are read for all others. */
// Dates of the authentication library are compared with the clock by which it makes them.
const clockFiles =
  /^src\/(?:engine\/context\.ts$|engine\/members\/auth\/library-dates\.ts$|process\/bounded-clock\.ts$|cli\/payin\.ts$|secrets\/)/
const environmentFiles = /^src\/(?:settings\/config|main|cli\/payin)\.ts$/

const clockAndRandomness = [
  /(?<![\w$])Date\s*\.\s*now\b/,
  /(?<![\w$])new\s+Date\b(?!\s*\(\s*[^\s)])/,
  /(?<![\w$.]|new\s+)Date\s*\(/,
  /\bMath\s*\.\s*random\b/,
  /\bperformance\s*\.\s*now\b/,
  /\b(?:randomUUID|randomBytes|randomInt|getRandomValues)\b/,
]

const leftovers = [/\bTODO\b/, /\bFIXME\b/, /\bXXX\b/, /@ts-(?:ignore|nocheck)\b/, /\.only\s*\(/, /\bonly:\s*true\b/]
const leftoverFiles = new Set(['.ts', '.tsx', '.js', '.cjs', '.mjs', '.sql', '.css', '.html', '.sh', ''])

const vagueNames = new Set([
  'util',
  'utils',
  'common',
  'helper',
  'helpers',
  'service',
  'services',
  'model',
  'models',
  'types',
])
const skippedFolders = new Set(['node_modules', '.git', 'payin-data', 'coverage', 'dist'])

type File = { readonly path: string; readonly text: string }

function readTree(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    // A build that was killed leaves such a folder until the next one.
    const isSkipped = skippedFolders.has(entry.name) || /^(?:console|site)\/dist-/.test(path)
    if (entry.isDirectory()) return isSkipped ? [] : readTree(path)
    return entry.isFile() ? [path] : []
  })
}

const paths = readTree()
const read = (path: string): File => ({ path, text: readFileSync(join(root, path), 'utf8') })
const sources = paths.filter((path) => path.startsWith('src/') && path.endsWith('.ts')).map(read)

/** The files of the packages. */
const packageSources = paths.filter((path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path)).map(read)

/** The files of the console that the browser gets. */
const consoleSources = paths.filter((path) => /^console\/src\/.*\.tsx?$/.test(path)).map(read)

/** The files that build the documentation. */
const siteSources = paths.filter((path) => /^site\/.*\.ts$/.test(path)).map(read)

/** The area, or the folder or file of src/, whose row of the table a path belongs to. */
function homeOf(path: string): string {
  const [, first = '', second = '', third] = path.split('/')
  const [name, isFile] = first === 'engine' ? [second, third === undefined] : [first, second === '']
  return isFile ? name.replace(/\.ts$/, '') : name
}

function isStore(path: string): boolean {
  return basename(path) === 'store.ts' && homeOf(path) in areas
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function inPackages(specifier: string, packages: readonly string[]): boolean {
  const name = packageOf(specifier)
  return packages.some((wanted) => name === wanted || name.startsWith(`${wanted}/`))
}

/** A folder of src/http/, or undefined for what lies directly in it. */
const httpFolderOf = (path: string): string | undefined => {
  const [, , folder, file] = path.split('/')
  return file === undefined ? undefined : folder
}

/** Why a file of src/http/ may not import another one: folders know those that all share, not each other. */
function refuseSideways(path: string, target: string): string | undefined {
  const from = httpFolderOf(path)
  const to = httpFolderOf(target)
  if (to === undefined || to === from) return undefined
  if (from === undefined) return undefined
  if (httpFolders[from] === undefined) return `http/${from} has no row in the table of folders`
  return httpFolders[from].includes(to) ? undefined : `http/${from} may not import http/${to}`
}

/** Why a file of src/rules/ may not import another one: a folder knows those before it. */
function refuseLater(path: string, target: string): string | undefined {
  const [from, to] = [path, target].map((each) => posix.relative('src/rules', posix.dirname(each)))
  const [own, other] = [from, to].map((folder) => ruleFolders.indexOf(folder ?? ''))
  if (own === undefined || own < 0) return `rules/${from} has no row in the table of folders`
  return other !== undefined && other <= own ? undefined : `rules/${from} may not import rules/${to}`
}

/** Why a file may not import this, or undefined when it may. */
function refuseImport(path: string, specifier: string, typeOnly: boolean): string | undefined {
  const home = homeOf(path)
  const rules = allowed[isStore(path) ? 'store' : home]
  if (rules === undefined) return `${home} has no row in the import table`
  if (specifier === '(computed)') return 'a computed import cannot be checked'
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(path), specifier)
    // The command line calls as merchants' servers do.
    if (target.startsWith('sdk/src/') && home === 'cli') return undefined
    if (!target.startsWith('src/')) return rules === 'everything' ? undefined : 'only main may leave src/'
    const targetHome = homeOf(target)
    // `payin serve` is the service.
    if (targetHome === 'main') return path === 'src/cli/serve.ts' ? undefined : 'only payin serve imports main.ts'
    if (targetHome === 'process' && home !== 'main' && home !== 'process') return 'only main starts the process'
    if (rules === 'everything') return undefined
    if (isStore(target) && targetHome !== home) return `${target} belongs to ${targetHome}`
    // Conditions that several stores of an area need are written once.
    if (isStore(path) && isStore(target)) return undefined
    if (home === 'http' && targetHome === 'http') return refuseSideways(path, target)
    if (home === 'rules' && targetHome === 'rules') return refuseLater(path, target)
    const module = target.slice('src/'.length).replace(/\.ts$/, '')
    if (rules.from?.includes(targetHome) || rules.from?.includes(module)) return undefined
    if (rules.types?.includes(targetHome)) {
      return typeOnly ? undefined : `${targetHome} gives types only here: \`import type\``
    }
    return `${isStore(path) ? 'a store' : home} may not import ${targetHome}`
  }
  const fixedHome = onlyIn.find((rule) => inPackages(specifier, rule.packages))?.folder
  if (fixedHome !== undefined && fixedHome !== home) return `only ${fixedHome} may import ${packageOf(specifier)}`
  if (specifier.startsWith('payin-database/') && !databaseOpeners.includes(home))
    return `only ${databaseOpeners.join(' and ')} open the database`
  if (specifier === 'bank-files' && home !== fileReader) return `only ${fileReader} reads bank files`
  if (rules === 'everything') return undefined
  if (specifier.startsWith('node:')) return rules.node ? undefined : `${home} may not use Node.js itself`
  if (rules.npm === 'any' || inPackages(specifier, rules.npm ?? [])) return undefined
  return `${isStore(path) ? 'a store' : home} may not import the package ${packageOf(specifier)}`
}

function wrongImports({ path, text }: File): string[] {
  return importsOf(scanSource(text)).flatMap(({ specifier, typeOnly, line }) => {
    const reason = refuseImport(path, specifier, typeOnly)
    return reason === undefined ? [] : [`${path}:${line} imports '${specifier}': ${reason}`]
  })
}

/** What a package of packages/ imports although it may not: it knows itself, Node.js and its own dependencies. */
function wrongPackageImports({ path, text }: File): string[] {
  const folder = path.split('/').slice(0, 2).join('/')
  const { dependencies = {} } = JSON.parse(read(`${folder}/package.json`).text) as { dependencies?: object }
  return importsOf(scanSource(text)).flatMap(({ specifier, line }) => {
    const isAllowed = specifier.startsWith('.')
      ? posix.join(posix.dirname(path), specifier).startsWith(`${folder}/src/`)
      : /^(?:node:|#)/.test(specifier) || inPackages(specifier, Object.keys(dependencies))
    return isAllowed ? [] : [`${path}:${line} imports '${specifier}': not of ${folder}`]
  })
}

/** What the console imports of the service although it may not: it knows the API by types, and shares pure rules. */
function wrongConsoleImports({ path, text }: File): string[] {
  return importsOf(scanSource(text)).flatMap(({ specifier, typeOnly, line }) => {
    const target = posix.join(posix.dirname(path), specifier)
    if (specifier.startsWith('node:')) return [`${path}:${line} imports '${specifier}', which no browser has`]
    if (specifier === 'bank-files') return [`${path}:${line} imports '${specifier}': the console reads no files`]
    if (!specifier.startsWith('.') || target.startsWith('console/')) return []
    const module = target.replace(/^src\//, '').replace(/\.ts$/, '')
    const isAllowed = typeOnly
      ? consoleTypes.some((folder) => module.startsWith(folder))
      : consoleValues.some((folder) => module.startsWith(folder))
    return isAllowed
      ? []
      : [`${path}:${line} imports '${specifier}': the console may not${typeOnly ? '' : ' (a type may be)'}`]
  })
}

/** What builds the documentation knows the service by its OpenAPI document and its pure rules. */
function wrongSiteImports({ path, text }: File): string[] {
  const { dependencies, optionalDependencies } = JSON.parse(read('site/package.json').text) as Manifest
  const packages = Object.keys({ ...dependencies, ...optionalDependencies })
  return importsOf(scanSource(text)).flatMap(({ specifier, typeOnly, line }) => {
    const target = posix.join(posix.dirname(path), specifier)
    const folders = ['site/', ...siteValues, ...(typeOnly ? siteTypes : [])]
    const isAllowed = specifier.startsWith('.')
      ? folders.some((folder) => target.startsWith(folder))
      : specifier.startsWith('node:') || inPackages(specifier, packages)
    return isAllowed ? [] : [`${path}:${line} imports '${specifier}', which the documentation is not made with`]
  })
}

const sqlTables = /\b(insert\s+into|update|delete\s+from|from|join)\s+([a-z_]+)/g

/** Reads and writes of tables by areas that `tables` does not name. */
function wrongTables({ path, text }: File): string[] {
  const home = homeOf(path)
  const wrong = (at: number, what: string): string[] => [`${path}:${lineAt(text, at)} ${what}`]
  return [...text.matchAll(/query\('(\w+)'|\b(?:table|bringBack)\('(\w+)'|`[^`]*`/g)].flatMap((literal, index, all) => {
    if (literal[1] !== undefined) return []
    const declared = tables[literal[2] ?? '']
    if (declared !== undefined && declared.writer !== home)
      return wrong(literal.index, `declares ${literal[2]}, which ${declared.writer} writes`)
    const name = all.slice(0, index).findLast((before) => before[1] !== undefined)?.[1] ?? ''
    return [...literal[0].matchAll(sqlTables)].flatMap((match) => {
      const [, verb = '', table = ''] = match
      const rule = tables[table]
      if (rule === undefined || rule.writer === home) return []
      const at = literal.index + match.index
      if (/insert|update|delete/.test(verb)) {
        return foreignWrites[name]?.includes(table) ? [] : wrong(at, `writes ${table}, which ${rule.writer} writes`)
      }
      return readsEverything.includes(home) || rule.readers?.includes(home)
        ? []
        : wrong(at, `reads ${table} and is not among its readers`)
    })
  })
}

/** Files that lead back to themselves by their imports, types included. */
function circlesIn(files: readonly File[]): string[] {
  const imports = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(scanSource(text))
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => posix.join(posix.dirname(path), specifier)),
    ]),
  )
  // Files that import nothing, or only such as are known to lead nowhere, are in no circle.
  for (let before = -1; before !== imports.size; ) {
    before = imports.size
    for (const [path, targets] of imports) if (!targets.some((target) => imports.has(target))) imports.delete(path)
  }
  // What is left leads into a circle; those that nothing left imports are not a part of it.
  for (let before = -1; before !== imports.size; ) {
    before = imports.size
    const imported = new Set([...imports.values()].flat())
    for (const path of imports.keys()) if (!imported.has(path)) imports.delete(path)
  }
  return [...imports.keys()].map((path) => `${path}:1 is part of a circle of imports`)
}

/** Functions and classes say what they promise; values and types have a comment where their name does not say it. */
function undocumentedExports({ path, text }: File): string[] {
  return exportsOf(scanSource(text))
    .filter((found) => !found.documented && !['const', 'let', 'type', 'interface'].includes(found.kind))
    .map((found) => `${path}:${found.line} exports ${found.name} without a /** */ comment above it`)
}

/** Queries that are imported under another name; those of a use case of the same name are named `select…` or `…Row`. */
function renamedQueries({ path, text }: File): string[] {
  return [...text.matchAll(/^import \{([^}]*)\} from '[^']*store\.ts'/gm)].flatMap((found) =>
    [...(found[1] ?? '').matchAll(/\b\w+ as \w+/g)].map(
      (name) => `${path}:${lineAt(text, found.index + name.index)} imports ${name[0]}: name the query so`,
    ),
  )
}

function wronglyNamedUseCase({ path, text }: File): string[] {
  // The reads of an area that decide nothing are together in its read.ts.
  if (!(homeOf(path) in areas) || isStore(path) || basename(path) === 'read.ts') return []
  // A file named after its folder, or after one of what is in it, has that noun's type and short operations.
  if ([`${basename(path, '.ts')}s`, basename(path, '.ts')].includes(basename(dirname(path)))) return []
  const wanted = basename(path, '.ts').replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  const className = wanted.replace(/^[a-z]/, (letter) => letter.toUpperCase())
  const isWanted = ({ kind, name }: { readonly kind: string; readonly name: string }): boolean =>
    kind === 'class' ? name === className : (kind === 'function' || kind === 'const') && name === wanted
  const exported = exportsOf(scanSource(text))
  // A file of several operations is named after what they are about.
  const operations = exported.filter(({ kind }) => kind === 'function' || kind === 'const')
  return exported.some(isWanted) || operations.length > 1
    ? []
    : [`${path}:1 exports no function or const named ${wanted}, after its file`]
}

function findPatterns(path: string, source: SourceText, patterns: readonly RegExp[], why: string): string[] {
  return patterns.flatMap((pattern) =>
    [...source.code.matchAll(new RegExp(pattern, 'g'))].map(
      (match) => `${path}:${lineAt(source.code, match.index)} ${match[0].trim()}: ${why}`,
    ),
  )
}

function clockReads({ path, text }: File): string[] {
  if (clockFiles.test(path)) return []
  return findPatterns(path, scanSource(text), clockAndRandomness, 'time and randomness come from the context')
}

function environmentReads({ path, text }: File): string[] {
  if (environmentFiles.test(path)) return []
  return findPatterns(path, scanSource(text), [/\bprocess\s*\.\s*env\b/], 'settings come from config.ts')
}

function leftoverMarks({ path, text }: File): string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = leftovers.find((pattern) => pattern.test(line))
    return found === undefined ? [] : [`${path}:${index + 1} leaves ${found.exec(line)?.[0]} behind`]
  })
}

function tooLong({ path, text }: File): string[] {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  return lines <= longestFile || path in longFiles ? [] : [`${path}:${lines} is longer than ${longestFile} lines`]
}

function vagueNamesIn(path: string): string[] {
  const vague = path.split('/').find((part) => vagueNames.has(part.replace(/\.[^.]+$/, '')) || part === 'index.ts')
  return vague === undefined ? [] : [`${path}:1 is named ${vague}, which says nothing about what belongs there`]
}

function notKebabCase(path: string): string[] {
  return /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|config|d))?\.tsx?$/.test(basename(path))
    ? []
    : [`${path}:1 is not named in kebab-case`]
}

/** Relative links of a Markdown text whose file does not exist. */
function deadLinks({ path, text }: File, exists: (path: string) => boolean): string[] {
  const blank = (code: string) => code.replace(/[^\n]/g, ' ')
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, blank).replace(/`[^`\n]+`/g, blank)
  const links = /\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm
  return [...prose.matchAll(links)].flatMap((match) => {
    const target = match[1] ?? match[2] ?? ''
    if (/^(?:[a-z][a-z0-9+.-]*:|#|\/\/)/i.test(target)) return []
    const file = decodeURIComponent(target.replace(/[#?].*$/, ''))
    const found = file.startsWith('/') ? file.slice(1) : posix.join(posix.dirname(path), file)
    return exists(found) ? [] : [`${path}:${lineAt(text, match.index)} links to ${target}, which does not exist`]
  })
}

type Manifest = {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** The workspaces by their folders. */
const workspaces = new Map(
  paths
    .filter((path) => /^(?:console|site|packages\/[^/]+)\/package\.json$/.test(path))
    .map((path) => [dirname(path), (JSON.parse(read(path).text) as { name: string }).name]),
)
const workspaceNames = new Set(workspaces.values())

function looseDependencies({ path, text }: File, justification: string): string[] {
  const manifest = JSON.parse(text) as Manifest
  const dependencies = Object.entries({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.devDependencies,
  }).filter(([name]) => !workspaceNames.has(name))
  return dependencies.flatMap(([name, version]) => {
    const line = lineAt(text, text.indexOf(`"${name}":`))
    return [
      // What is in the repository has no version of its own.
      ...(/^(?:\d+\.\d+\.\d+(?:-[\w.]+)?|file:[./]+sdk)$/.test(version)
        ? []
        : [`${path}:${line} ${name} ${version} is not pinned exactly`]),
      ...(justification.includes(`\`${name}\``)
        ? []
        : [`${path}:${line} ${name} is not justified in docs/decisions/0001`]),
    ]
  })
}

function misnumberedMigrations(names: readonly string[]): string[] {
  return names.toSorted().flatMap((name, index) => {
    const number = String(index + 1).padStart(4, '0')
    if (!/^\d{4}_[a-z][a-z0-9_]*\.sql$/.test(name)) return [`migrations/${name}:1 is not named NNNN_noun.sql`]
    return name.startsWith(`${number}_`) ? [] : [`migrations/${name}:1 should have the number ${number}`]
  })
}

const columnPrinters = /\b(?:printRows|printList|csvLine)\b/
/** What turns declared columns into tables and files. */
const columnMakers = new Set(['print-table', 'show-rows', 'noun-commands', 'list-export'])

/** Lists of columns are declared in operations, so that the API, the terminal and the console have the same. */
function ownTables({ path, text }: File): string[] {
  if (!/^src\/(?:cli|http)\//.test(path) || columnMakers.has(basename(path, '.ts'))) return []
  const isUsed = columnPrinters.test(text)
  if (isUsed && !(path in ownColumns)) return [`${path}:1 has columns of its own: declare them in src/operations/`]
  return !isUsed && path in ownColumns ? [`${path}:1 is in ownColumns without need`] : []
}

function assertTidy(violations: readonly string[]): void {
  assert.equal(violations.length, 0, `\n${violations.join('\n')}\n`)
}

describe('house rules', () => {
  test('every import follows the table', () => assertTidy(sources.flatMap(wrongImports)))

  test('columns are declared in operations', () => assertTidy(sources.flatMap(ownTables)))

  test('packages know nothing of the rest', () => assertTidy(packageSources.flatMap(wrongPackageImports)))

  test('the console knows the service by the types of its API and shares its pure rules', () => {
    assertTidy(consoleSources.flatMap(wrongConsoleImports))
  })

  test('what builds the documentation knows the service by its document and its rules', () =>
    assertTidy(siteSources.flatMap(wrongSiteImports)))

  test('every table has one writer and named readers', () => {
    assertTidy(sources.filter(({ path }) => isStore(path)).flatMap(wrongTables))
    const migrations = paths.filter((path) => dirname(path) === 'migrations').map((path) => read(path).text)
    const named = (command: RegExp) =>
      new Set(migrations.flatMap((text) => [...text.matchAll(command)].map(([, name]) => name)))
    const present = named(/^create table (\w+)/gm).difference(named(/^drop table (\w+)/gm))
    assert.deepEqual(present, new Set(Object.keys(tables)))
  })

  test('no file imports itself by way of others, not even for a type', () =>
    assertTidy(circlesIn([...sources, ...packageSources, ...consoleSources, ...siteSources])))

  test('the areas depend on each other one way only', () => {
    const settled = new Set<string>()
    for (let before = -1; before !== settled.size; ) {
      before = settled.size
      for (const [area, others] of Object.entries(areas))
        if (others.every((other) => settled.has(other))) settled.add(area)
    }
    assert.deepEqual(
      Object.keys(areas).filter((area) => !settled.has(area)),
      [],
    )
    const used = new Set(
      sources.flatMap(({ path, text }) =>
        importsOf(scanSource(text)).map(
          ({ specifier }) => `${homeOf(path)} → ${homeOf(posix.join(posix.dirname(path), specifier))}`,
        ),
      ),
    )
    const unused = Object.entries(areas).flatMap(([area, others]) =>
      others.map((other) => `${area} → ${other}`).filter((arrow) => !used.has(arrow)),
    )
    assert.deepEqual(unused, [])
  })

  test('ARCHITECTURE.md has a line for each folder of src/ and each area, and draws what each area uses', () => {
    const { text } = read('ARCHITECTURE.md')
    const folders = new Set(paths.flatMap((path) => /^src\/(?:engine\/)?([^/]+)\//.exec(path)?.[1] ?? []))
    const listed = new Set([...text.matchAll(/^- `([\w-]+)\/`: /gm)].map(([, name = '']) => name))
    assert.deepEqual(listed, folders)
    const arrows = [...text.matchAll(/^  ([\w-]+(?: & [\w-]+)*) --> ([\w-]+(?: & [\w-]+)*)$/gm)].flatMap(
      ([, from = '', to = '']) => from.split(' & ').flatMap((area) => to.split(' & ').map((other) => [area, other])),
    )
    const drawn = Object.keys(areas).map((area) => [
      area,
      arrows.flatMap(([from, to = '']) => (from === area ? [to] : [])).toSorted(),
    ])
    // Its arrows would cross all others: it seals whatever the others have sealed.
    assert.deepEqual(Object.fromEntries(drawn), { ...areas, 'key-rotation': [] })
  })

  test('every exported function and class has a doc comment', () => {
    assertTidy([...sources, ...packageSources, ...consoleSources, ...siteSources].flatMap(undocumentedExports))
  })

  test('every query is imported under its own name', () => assertTidy(sources.flatMap(renamedQueries)))

  test('every use case is named after its file, and a file of several after what they are about', () =>
    assertTidy(sources.flatMap(wronglyNamedUseCase)))

  test('only the context, the bounded clock, the dates of the library and the secrets read the clock or randomness', () => {
    assertTidy(sources.flatMap(clockReads))
  })

  test('only config, main and the command read the environment', () => assertTidy(sources.flatMap(environmentReads)))

  test('no source file is too long', () =>
    assertTidy([...sources, ...packageSources, ...consoleSources, ...siteSources].flatMap(tooLong)))

  test('files are named in kebab-case', () => {
    const named = paths.filter((path) => /^(?:src|packages|test|scripts|bench|console|site)\/.*\.tsx?$/.test(path))
    assertTidy(named.flatMap(notKebabCase))
  })

  test('no file or folder has a name that says nothing', () =>
    assertTidy(paths.filter((path) => !path.startsWith('test/support/')).flatMap(vagueNamesIn)))

  test('nothing is left behind', () => {
    const checked = paths.filter((path) => leftoverFiles.has(extname(path)) && path !== 'test/tidy.test.ts')
    assertTidy(checked.map(read).flatMap(leftoverMarks))
  })

  test('relative links in Markdown lead somewhere', () => {
    const documents = paths.filter((path) => path.endsWith('.md')).map(read)
    assertTidy(documents.flatMap((file) => deadLinks(file, (path) => existsSync(join(root, path)))))
  })

  test('the lockfile is of this package.json', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<'', Manifest>
    }
    const { dependencies, devDependencies } = lock.packages['']
    assert.deepEqual(
      { dependencies, devDependencies },
      { dependencies: manifest.dependencies, devDependencies: manifest.devDependencies },
    )
  })

  test('every dependency is pinned and justified', () => {
    const name = paths.find((path) => /^docs\/decisions\/0001-[^/]*\.md$/.test(path))
    assert.ok(name, 'docs/decisions/0001-*.md does not exist')
    const manifests = paths.filter((path) => basename(path) === 'package.json').map(read)
    assertTidy(manifests.flatMap((file) => looseDependencies(file, read(name).text)))
  })

  test('packages are locked by hashes, under licences that are allowed, and run nothing when they are installed', () => {
    const { packages } = JSON.parse(read('package-lock.json').text) as { packages: Record<string, LockedPackage> }
    // A link leads to a workspace of ours.
    const locked = Object.entries(packages).filter(
      ([path, { link, resolved }]) =>
        path.startsWith('node_modules/') && !(link === true && resolved !== undefined && workspaces.has(resolved)),
    )
    assert.ok(locked.length > 100)
    const faults = locked.flatMap(([path, each]) => {
      const manifest = join(root, path, 'package.json')
      const installed = existsSync(manifest)
        ? (JSON.parse(readFileSync(manifest, 'utf8')) as { license?: unknown; scripts?: Record<string, string> })
        : undefined
      return refuseLocked(path, each, installed).map((reason) => `package-lock.json:1 ${path} ${reason}`)
    })
    assertTidy(faults)
    assertTidy(missingOptional(packages).map((name) => `package-lock.json:1 lacks the optional package ${name}`))
  })

  test('migrations have numbers of their own', () => {
    const names = paths.filter((path) => dirname(path) === 'migrations').map((path) => basename(path))
    assertTidy(misnumberedMigrations(names))
  })

  test('a migration takes nothing away from the release before, and locks no table for long', async () => {
    assertTidy((await readMigrations(join(root, 'migrations'))).flatMap(refuseMigration))
  })
})

describe('house rules: the checks themselves', () => {
  type Case = [path: string, text: string]
  const flagged = (check: (file: File) => string[], cases: readonly Case[]) => {
    for (const [path, text] of cases) {
      assert.equal(check({ path, text }).length, 1, `not flagged once: ${path}: ${text}`)
      assert.match(check({ path, text })[0] ?? '', /^[\w./-]+:\d+ \S/)
    }
  }
  const accepted = (check: (file: File) => string[], cases: readonly Case[]) => {
    for (const [path, text] of cases) assert.deepEqual(check({ path, text }), [], `${path}: ${text}`)
  }

  test('imports that break the table are flagged', () => {
    flagged(wrongImports, [
      ['src/rules/money.ts', "import { createHash } from 'node:crypto'"],
      ['src/rules/money.ts', "import uuid from 'uuid'"],
      ['src/rules/money.ts', "import { a } from '../engine/payments/get-payment.ts'"],
      ['src/rules/money.ts', "import '../engine/context.ts'"],
      ['src/engine/payments/get-payment.ts', "import {\n  insertLedger,\n} from '../ledger/store.ts'"],
      ['src/engine/payments/get-payment.ts', "import { openDispute } from '../disputes/open-dispute.ts'"],
      ['src/engine/payments/get-payment.ts', "import { seal } from '../../secrets/vault.ts'"],
      ['src/engine/payments/get-payment.ts', "import { openDatabase } from 'payin-database/open'"],
      ['src/engine/payments/store.ts', "import type { Context } from '../context.ts'"],
      ['src/engine/payments/store.ts', "import { getPayment } from './get-payment.ts'"],
      ['src/engine/ledger/post-entries.ts', "export { expirePayments } from '../payments/expire-payments.ts'"],
      ['src/engine/ledger/post-entries.ts', "export * from '../payments/expire-payments.ts'"],
      ['src/engine/ledger/post-entries.ts', "const later = await import('../payments/expire-payments.ts')"],
      ['src/engine/ledger/post-entries.ts', 'const later = await import(name)'],
      ['src/http/server.ts', "import { jobs } from '../process/jobs/jobs.ts'"],
      ['src/http/server.ts', "import { list } from '../engine/payments/store.ts'"],
      ['src/http/server.ts', "import type { Pool } from 'pg'"],
      ['src/http/server.ts', "import { start } from '../main.ts'"],
      ['src/process/jobs/expire.ts', "import fastify from 'fastify'"],
      ['src/http/server.ts', "import { readStatement } from 'bank-files'"],
      ['src/main.ts', "import helmet from '@fastify/helmet'"],
      ['src/http/server.ts', "import { marked } from 'marked'"],
      ['src/gateways/webhook.ts', "import { PGlite } from '@electric-sql/pglite'"],
      ['src/engine/context.ts', "import { createServer } from '../http/server.ts'"],
      ['src/engine/transfers/reversals/a.ts', "import { list } from '../../payments/store.ts'"],
      ['src/http/payment-page/a.ts', "import { b } from '../operator-api/b.ts'"],
      ['src/http/routes/files.ts', "import { b } from '../payment-page/b.ts'"],
      ['src/elsewhere/thing.ts', "import { a } from '../rules/money.ts'"],
    ])
  })

  test('imports that follow the table pass', () => {
    accepted(wrongImports, [
      ['src/rules/money.ts', "import { refuse } from './refusal.ts'"],
      ['src/engine/payments/store.ts', "import type { Queryable } from 'payin-database'"],
      [
        'src/engine/payments/get-payment.ts',
        "import { find } from './store.ts'\nimport type { Vault } from '../../secrets/vault.ts'",
      ],
      ['src/engine/payments/get-payment.ts', "import { scheduleSteps } from '../sandbox/schedule-steps.ts'"],
      ['src/engine/merchants/rates/rate.ts', "import { raiseCatalogVersion } from '../../catalog.ts'"],
      ['src/http/server.ts', "import fastify from 'fastify'\nimport { a } from '../engine/payments/get-payment.ts'"],
      ['src/engine/context.ts', "import type { Database } from 'payin-database'"],
      ['src/engine/transfers/reversals/a.ts', "import { list } from '../store.ts'"],
      ['src/http/server.ts', "import { b } from './operator-api/b.ts'"],
      ['src/main.ts', "import { openDatabase } from 'payin-database/open'\nimport { server } from './http/server.ts'"],
      [
        'src/rules/money.ts',
        "// import 'pg'\n/* import 'pg' */ const a = \"import 'pg'\"; const b = `import 'pg' ${a}`",
      ],
      ['src/rules/money.ts', 'const quote = /[\'"`/]/.test(x) ? 1 / 2 : import.meta.url // import'],
    ])
  })

  test('imports of the console that leave it are flagged', () => {
    flagged(wrongConsoleImports, [
      ['console/src/session.ts', "import { findPayment } from '../../src/engine/payments/read.ts'"],
      ['console/src/session.ts', "import type { Context } from '../../src/engine/context.ts'"],
      ['console/src/session.ts', "import { ownAccountRoute } from '../../src/http/operator-api/oversight.ts'"],
      ['console/src/session.ts', "import { readFile } from 'node:fs'"],
      ['console/src/session.ts', "import { formats } from 'bank-files'"],
    ])
    accepted(wrongConsoleImports, [
      ['console/src/session.ts', "import type { OperatorAnswer } from '../../src/http/operator-api/oversight.ts'"],
      [
        'console/src/session.ts',
        "import { mayDo } from '../../src/rules/role.ts'\nimport { api } from './api/client.ts'",
      ],
    ])
  })

  test('imports that the documentation is not made with are flagged', () => {
    flagged(wrongSiteImports, [
      ['site/pages.ts', "import { getPayment } from '../src/engine/payments/read.ts'"],
      ['site/pages.ts', "import { searchSections } from '../src/http/docs/search-pages.ts'"],
      ['site/pages.ts', "import fastify from 'fastify'"],
    ])
    accepted(wrongSiteImports, [
      ['site/pages.ts', "import { day } from '../src/rules/time.ts'\nimport { join } from 'node:path'"],
      ['site/pages.ts', "import type { Section } from '../src/http/docs/search-pages.ts'"],
      ['site/pages.ts', "import { Marked } from 'marked'\nimport { asAnchor } from './render-markdown.ts'"],
    ])
  })

  test('imports of rules by rules before them are flagged', () => {
    flagged(wrongImports, [
      ['src/rules/money/rate.ts', "import { isOpen } from '../payments/payment.ts'"],
      ['src/rules/time.ts', "import { currencies } from './values/currency.ts'"],
      ['src/rules/other/rate.ts', "import { day } from '../time.ts'"],
    ])
    accepted(wrongImports, [['src/rules/payments/payment.ts', "import { day } from '../time.ts'"]])
  })

  test('circles are found, and what only leads to one or comes from it is not', () => {
    const files = [
      { path: 'src/a.ts', text: "import { b } from './b.ts'" },
      { path: 'src/b.ts', text: "import type { C } from './c.ts'" },
      { path: 'src/c.ts', text: "import { b } from './b.ts'\nimport { d } from './d.ts'" },
      { path: 'src/d.ts', text: 'export const d = 1' },
    ]
    assert.deepEqual(circlesIn(files), [
      'src/b.ts:1 is part of a circle of imports',
      'src/c.ts:1 is part of a circle of imports',
    ])
    assert.deepEqual(circlesIn(files.filter(({ path }) => path !== 'src/c.ts')), [])
  })

  test('reads and writes of foreign tables are flagged', () => {
    flagged(wrongTables, [
      ['src/engine/risk/store.ts', "query('a', { text: `update payments set status = 'paid'` })"],
      ['src/engine/sandbox/store.ts', "query('a', { text: `select from payments` })"],
      ['src/engine/payments/store.ts', "query('b', { text: `insert into slots (amount) values (1)` })"],
      ['src/engine/risk/store.ts', "table('payments', { id: uuid })"],
      ['src/engine/risk/uses.ts', "bringBack('payments', 'remind_at')"],
    ])
    accepted(wrongTables, [
      ['src/engine/risk/store.ts', "query('a', { text: `select from payments` })"],
      ['src/engine/payments/store.ts', "query('insert_payments', { text: `insert into slots (amount) values (1)` })"],
      ['src/engine/invariants/store.ts', "query('a', { text: `select from access_tokens` })"],
    ])
  })

  test('exports without a doc comment are flagged', () => {
    flagged(undocumentedExports, [
      ['src/a.ts', 'export const a = () => 1'],
      ['src/a.ts', 'export const a = async <T>(\n  b: T,\n) => b'],
      ['src/a.ts', 'export const a: (b: string) => string = (b) => b'],
      ['src/a.ts', '// says little\nexport async function a() {}'],
      ['src/a.ts', '/* not a doc comment */\nexport class A {}'],
      ['src/a.ts', '/** of the header */\nimport x from "x"\n\nexport default x'],
      ['src/a.ts', 'function a() {}\nexport { a }'],
      ['src/a.ts', '/** a */\nexport const a = `\n${1}`\nexport class B {}'],
    ])
    accepted(undocumentedExports, [
      ['src/a.ts', '/** Says it. */\nexport const a = () => 1'],
      ['src/a.ts', "export const a = query('a', {})\nexport type A = string"],
      ['src/a.ts', '/** Says it. */\nexport function a(x: string): void\nexport function a(x: unknown): void {}'],
      ['src/a.ts', '/** Says it. */\nfunction a() {}\nexport { a }'],
      ['src/a.ts', "export { a } from './b.ts'"],
      ['src/a.ts', 'const text = `\nexport const a = 1\n`'],
    ])
  })

  test('use cases not named after their file are flagged', () => {
    flagged(renamedQueries, [['src/engine/payments/read.ts', "import {\n  listPayments as list,\n} from './store.ts'"]])
    accepted(renamedQueries, [['src/engine/payments/read.ts', "import { selectPayments } from './store.ts'"]])
    flagged(wronglyNamedUseCase, [
      ['src/engine/payments/get-payment.ts', 'export function findPayment() {}'],
      ['src/engine/payments/get-payment.ts', 'export type getPayment = string'],
    ])
    accepted(wronglyNamedUseCase, [
      ['src/engine/payments/get-payment.ts', 'export async function getPayment() {}'],
      ['src/engine/statements/parse-1c.ts', 'export const parse1c = 1'],
      ['src/engine/payments/store.ts', 'export function find() {}'],
      ['src/engine/payments/read.ts', 'export const getPayments = 1'],
      ['src/engine/payments/close-payments.ts', 'export const cancelPayment = 1\nexport const failPayment = 1'],
      ['src/http/server.ts', 'export function other() {}'],
    ])
  })

  test('clock, randomness and environment are flagged in code only', () => {
    flagged(clockReads, [
      ['src/a.ts', 'const a = Date.now()'],
      ['src/a.ts', 'const a = new Date()'],
      ['src/a.ts', 'const a = new Date'],
      ['src/a.ts', 'const a = Date()'],
      ['src/a.ts', 'const a = `${Math.random()}`'],
      ['src/a.ts', 'performance.now()'],
      ['src/a.ts', "import { randomUUID } from 'node:crypto'"],
    ])
    accepted(clockReads, [
      ['src/a.ts', "const a = new Date(1); const b = new Date('2026-01-01'); const c = Date.parse(d); let e: Date"],
      ['src/a.ts', '// Date.now()\nconst a = "Math.random()"; const b = /new Date()/'],
      ['src/engine/context.ts', 'const now = () => Date.now()'],
      ['src/secrets/vault.ts', 'randomBytes(32)'],
    ])
    flagged(environmentReads, [['src/a.ts', 'const a = process.env.PORT']])
    accepted(environmentReads, [
      ['src/settings/config.ts', 'process.env'],
      ['src/a.ts', '// process.env'],
    ])
  })

  test('leftovers, names, length, links, pins and migrations are flagged', () => {
    flagged(leftoverMarks, [
      ['src/a.ts', '// TODO later'],
      ['src/a.ts', '/* FIXME */'],
      ['test/a.test.ts', "test.only('a', () => {})"],
      ['test/a.test.ts', "test('a', { only: true }, () => {})"],
      ['src/a.ts', '// @ts-ignore'],
    ])
    flagged(tooLong, [['src/a.ts', 'x\n'.repeat(longestFile + 1)]])
    accepted(tooLong, [['src/a.ts', 'x\n'.repeat(longestFile)]])
    for (const path of ['src/utils/a.ts', 'src/a/types.ts', 'src/a/index.ts'])
      assert.equal(vagueNamesIn(path).length, 1)
    assert.deepEqual(vagueNamesIn('src/a/money.ts'), [])
    assert.equal(notKebabCase('src/getPayment.ts').length, 1)
    assert.deepEqual(notKebabCase('test/api/create-payment.test.ts'), [])
    const links = {
      path: 'docs/a.md',
      text: '[a](b.md#c)\n[d](https://e)\n`[f](g.md)`\n[h](#i)\n```\n[j](k.md)\n```\n',
    }
    assert.deepEqual(
      deadLinks(links, () => false),
      ['docs/a.md:1 links to b.md#c, which does not exist'],
    )
    assert.deepEqual(
      deadLinks(links, (path) => path === 'docs/b.md'),
      [],
    )
    const manifest = { path: 'package.json', text: '{ "dependencies": { "a": "^1.0.0", "b": "1.0.0" } }' }
    assert.equal(looseDependencies(manifest, '`a` `b`').length, 1)
    assert.equal(looseDependencies(manifest, '`a`').length, 2)
    const resolved = 'https://registry.npmjs.org/a/-/a-1.0.0.tgz'
    const locked = { version: '1.0.0', resolved, integrity: `sha512-${'a'.repeat(86)}==`, license: 'MIT' }
    assert.deepEqual(refuseLocked('node_modules/a', locked, { license: 'MIT' }), [])
    for (const wrong of [
      { integrity: undefined },
      { integrity: 'sha1-a' },
      { resolved: undefined },
      { resolved: 'https://example.com/a.tgz' },
      { resolved: 'git+ssh://git@github.com/a/a.git' },
      { link: true },
      { license: 'GPL-3.0' },
      { license: undefined },
      { license: 'MPL-2.0' },
      { hasInstallScript: true },
    ])
      assert.equal(
        refuseLocked('node_modules/a', { ...locked, ...(wrong as LockedPackage) }).length,
        1,
        JSON.stringify(wrong),
      )
    assert.equal(refuseLocked('node_modules/a', locked, { license: 'GPL-3.0' }).length, 1)
    assert.equal(refuseLocked('node_modules/a', locked, { license: 'MIT', scripts: { install: 'x' } }).length, 1)
    assert.deepEqual(refuseLocked('node_modules/a', { ...locked, license: 'MPL-2.0', dev: true }), [])
    const tool = { ...locked, optionalDependencies: { '@tool/linux': '1.0.0', '@tool/win32': '1.0.0' } }
    const binaries = { 'node_modules/@tool/linux': locked, 'node_modules/tool/node_modules/@tool/win32': locked }
    assert.deepEqual(missingOptional({ 'node_modules/tool': tool, ...binaries }), [])
    assert.deepEqual(missingOptional({ 'node_modules/tool': tool }), ['@tool/linux', '@tool/win32'])
    assert.deepEqual(misnumberedMigrations(['0001_a.sql', '0002_b.sql']), [])
    assert.equal(misnumberedMigrations(['0001_a.sql', '0003_b.sql']).length, 1)
    assert.equal(misnumberedMigrations(['0001_a.sql', '0001_b.sql']).length, 1)
    assert.equal(misnumberedMigrations(['0001_a.sql', '0002-b.sql']).length, 1)
  })
})
