// `node scripts/set-version.ts 0.2.0`: prepares a release. The version comes from package.json; this writes it there,
// to the packages that are released together, and as the heading of the entries under Unreleased in CHANGELOG.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The folders of the workspaces. */
export const workspaces = ['console', 'site', 'packages/bank-files', 'packages/bank-messages', 'packages/database']

/** The manifests of packages that are released together. */
export const manifests = ['', ...workspaces, 'sdk', 'plugins/medusa'].map((folder) => join(folder, 'package.json'))

const unreleased = '## [Unreleased]\n'

/** Files that name the image by version. */
const deployed = ['deploy/Dockerfile', 'deploy/compose.yaml', 'deploy/kubernetes/kustomization.yaml']

/** The changelog with a heading for the release above everything that was unreleased; throws if there is nothing. */
export const releaseChangelog = (changelog: string, version: string, day: string): string => {
  const [before = '', after = ''] = changelog.split(unreleased)
  const [news = ''] = after.split(/^## /m)
  if (news.trim() === '') throw new Error('CHANGELOG.md has nothing under Unreleased')
  return `${before}${unreleased}\n## [${version}] - ${day}\n${after}`
}

/** Our packages that others depend on. */
const packages = ['payin-sdk', 'payin-database', 'bank-files', 'bank-messages']

/** Sets our version in a manifest or lockfile, and the same version of our packages that are dependencies. */
export const withVersion = (text: string, from: string, to: string): string =>
  ['version', ...packages].reduce(
    (changed, name) => changed.replaceAll(`"${name}": "${from}"`, `"${name}": "${to}"`),
    text,
  )

/** Sets our version in the lockfile, only in its own entries: other packages may have the same version. */
const lockWithVersion = (text: string, to: string): string => {
  const lock = JSON.parse(text) as { version: string; packages: Record<string, { version?: string; link?: boolean }> }
  lock.version = to
  for (const path of ['', ...workspaces]) Object.assign(lock.packages[path] ?? {}, { version: to })
  return `${JSON.stringify(lock, null, 2)}\n`
}

const setVersion = (to: string): void => {
  if (!/^\d+\.\d+\.\d+$/.test(to)) throw new Error('usage: node scripts/set-version.ts <major.minor.patch>')
  const root = resolve(import.meta.dirname, '..')
  const change = (path: string, edit: (text: string) => string): void =>
    writeFileSync(join(root, path), edit(readFileSync(join(root, path), 'utf8')))
  const { version: from } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  change('CHANGELOG.md', (text) => releaseChangelog(text, to, new Date().toISOString().slice(0, 10)))
  for (const path of manifests) change(path, (text) => withVersion(text, from, to))
  for (const path of deployed)
    change(path, (text) => text.replaceAll(`payin:${from}`, `payin:${to}`).replace(`newTag: ${from}`, `newTag: ${to}`))
  change('docs/operate/install.md', (text) => text.replaceAll(from, to))
  change('package-lock.json', (text) => lockWithVersion(text, to))
  console.log(`${from} → ${to}. Now: npm run generate, npm test, commit, git tag v${to}.`)
}

if (import.meta.main) setVersion(process.argv[2] ?? '')
