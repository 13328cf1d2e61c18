import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..', '..')
const runner = 'packages/database/src/read-migrations.ts'

const git = (...args: readonly string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/** A commit whose code must run on the current schema, or why there is none. */
export type PreviousRelease = { readonly commit: string; readonly name: string } | { readonly missing: string }

/** The number of the migration that versions on the current schema must know. */
const oldestMarked = (): string => {
  const files = readdirSync(join(root, 'migrations')).map((name) =>
    readFileSync(join(root, 'migrations', name), 'utf8'),
  )
  const marked = files.flatMap((file) => /^--! oldest (\d{4})$/m.exec(file)?.[1] ?? [])
  return marked.toSorted().at(-1) ?? '0001'
}

/** Packages that a commit needs and the current installation lacks. */
const lackingPackages = (commit: string): string[] => {
  const { dependencies = {} } = JSON.parse(git('show', `${commit}:package.json`) ?? '{}') as { dependencies?: object }
  return Object.keys(dependencies).filter((name) => !existsSync(join(root, 'node_modules', name)))
}

/**
 * The release before this commit. Before the first release it is the oldest commit that has the current migrations up
 * to some number, unedited, can read the marker, may run on the current schema, and runs with the current packages.
 */
export const findPreviousRelease = (): PreviousRelease => {
  if (git('rev-parse', '--is-inside-work-tree') !== 'true') return { missing: 'this is not a git repository' }
  if (git('rev-parse', '--is-shallow-repository') === 'true') {
    return { missing: 'the history is not here (git fetch --unshallow --tags)' }
  }
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^')
  if (tag !== undefined) {
    const lacking = lackingPackages(tag)
    if (lacking.length > 0) return { missing: `${tag} needs packages that are gone: ${lacking.join(', ')}` }
    return { commit: tag, name: tag }
  }
  const edited = git('log', '-1', '--format=%H', '--diff-filter=MDR', '--', 'migrations') ?? ''
  const readsMarker = git('log', '-1', '--format=%H', '--diff-filter=A', '--', runner) ?? ''
  if (readsMarker === '') return { missing: `no commit has ${runner}` }
  const knowsOldest = git('log', '-1', '--format=%H', '--diff-filter=A', '--', `migrations/${oldestMarked()}_*`) ?? ''
  const isBefore = (commit: string, other: string): boolean =>
    commit === '' || git('merge-base', '--is-ancestor', commit, other) === ''
  const oldest = [edited, knowsOldest].reduce((last, each) => (isBefore(each, last) ? last : each), readsMarker)
  const later = git('rev-list', '--reverse', `${oldest}..HEAD`, '--', 'package.json') ?? ''
  const commit = [oldest, ...later.split('\n')].find((each) => each !== '' && lackingPackages(each).length === 0)
  if (commit === undefined) return { missing: 'no commit runs with the packages of today' }
  const isEdited = readdirSync(join(root, 'migrations')).some((name) => {
    const before = spawnSync('git', ['show', `${commit}:migrations/${name}`], { cwd: root, encoding: 'utf8' })
    return before.status === 0 && before.stdout !== readFileSync(join(root, 'migrations', name), 'utf8')
  })
  if (isEdited) return { missing: 'a migration is edited, and the edit is not committed' }
  return { commit, name: git('log', '-1', '--format=%h', commit) ?? commit }
}

/** What the next release may add; both the current code and the previous release must run on it. */
export const nextRelease = {
  '9001_next.sql': `alter table payments add column next text, add column filled text not null default 'yes';
    alter table payments add constraint payments_next_short check (char_length(next) < 9) not valid;
    create table next_things (id uuid primary key);`,
  '9002_next.sql': 'alter table payments validate constraint payments_next_short;',
  '9003_next.sql': '--! no transaction\ncreate index concurrently payments_next on payments (next);',
}

/** Gives a copy of the code the installed packages, and its own workspaces. */
const linkPackages = (folder: string): void => {
  const [installed, linked] = [join(root, 'node_modules'), join(folder, 'node_modules')]
  mkdirSync(linked)
  const workspaces = readdirSync(join(folder, 'packages')).map((name) => {
    const file = readFileSync(join(folder, 'packages', name, 'package.json'), 'utf8')
    return { path: join(folder, 'packages', name), name: (JSON.parse(file) as { name: string }).name }
  })
  const own = new Map(workspaces.map(({ name, path }) => [name, path]))
  for (const name of readdirSync(installed)) symlinkSync(own.get(name) ?? join(installed, name), join(linked, name))
}

/** Writes the code of a commit to a folder, with the current packages. */
export const checkOut = (commit: string, folder: string): void => {
  mkdirSync(folder)
  const archive = execFileSync(
    'git',
    ['archive', '--format=tar', commit, 'src', 'packages', 'migrations', 'package.json'],
    {
      cwd: root,
      maxBuffer: 256 * 1024 * 1024,
    },
  )
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  linkPackages(folder)
}

/** Copies the current code to a folder, with further migrations. */
export const copyToday = (folder: string, migrations: Readonly<Record<string, string>>): void => {
  mkdirSync(folder)
  for (const name of ['src', 'packages', 'migrations', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  for (const [name, content] of Object.entries(migrations)) writeFileSync(join(folder, 'migrations', name), content)
  linkPackages(folder)
}
