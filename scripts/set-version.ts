// `node scripts/set-version.ts 0.2.0`: prepares a release. package.json alone says the version; this writes it there, into the
// packages that are released with it, and as the heading of what CHANGELOG.md has under Unreleased.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The manifests of what is released together. */
export const manifests = ['package.json', 'console/package.json', 'sdk/package.json', 'plugins/medusa/package.json']

const unreleased = '## [Unreleased]\n'

/** What names the image by the version. */
const deployed = ['deploy/Dockerfile', 'deploy/compose.yaml', 'deploy/kubernetes/kustomization.yaml']

/** The changelog with the heading of a release, which has all that was unreleased; throws where nothing is. */
export const releaseChangelog = (changelog: string, version: string, day: string): string => {
  const [before = '', after = ''] = changelog.split(unreleased)
  const [news = ''] = after.split(/^## /m)
  if (news.trim() === '') throw new Error('CHANGELOG.md has nothing under Unreleased')
  return `${before}${unreleased}\n## [${version}] - ${day}\n${after}`
}

/** A manifest or lockfile with another version of ours, and with the SDK of that version where it depends on it. */
export const withVersion = (text: string, from: string, to: string): string =>
  text
    .replaceAll(`"version": "${from}"`, `"version": "${to}"`)
    .replaceAll(`"payin-sdk": "${from}"`, `"payin-sdk": "${to}"`)

/** The lockfile: only its own entries, because other packages may have the same version. */
const lockWithVersion = (text: string, to: string): string => {
  const lock = JSON.parse(text) as { version: string; packages: Record<string, { version?: string; link?: boolean }> }
  lock.version = to
  for (const path of ['', 'console']) Object.assign(lock.packages[path] ?? {}, { version: to })
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
  change('package-lock.json', (text) => lockWithVersion(text, to))
  console.log(`${from} → ${to}. Now: npm run generate, npm test, commit, git tag v${to}.`)
}

if (import.meta.main) setVersion(process.argv[2] ?? '')
