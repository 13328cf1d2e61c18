// package.json alone says the version; everything else that says one says the same.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { manifests, releaseChangelog, withVersion, workspaces } from '../scripts/set-version.ts'
import { version } from '../src/settings/version.ts'
import { runPayin } from './support/run-payin.ts'

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8')
type Manifest = {
  readonly version: string
  readonly dependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
}

describe('the version', () => {
  test('is one in package.json, the lockfile, the workspaces, the SDK and the plugin that needs it', () => {
    for (const path of manifests) assert.equal((JSON.parse(read(path)) as Manifest).version, version, path)
    const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: Record<string, Manifest> }
    assert.deepEqual(
      [lock.version, ...['', ...workspaces].map((path) => lock.packages[path]?.version)],
      [version, version, ...workspaces.map(() => version)],
    )
    assert.ok(read('plugins/medusa/package.json').includes(`"payin-sdk": "${version}"`))
    const installed = [...read('docs/operate/install.md').matchAll(/(?:payin[-@]|\/v)(\d+\.\d+\.\d+)/g)]
    assert.deepEqual(new Set(installed.map(([, found]) => found)), new Set([version]))
    for (const path of ['package.json', 'console/package.json'])
      assert.equal((JSON.parse(read(path)) as Manifest).dependencies?.['bank-files'], version, path)
  })

  test('is that of the OpenAPI document and of payin --version', async () => {
    assert.equal((JSON.parse(read('docs/openapi.json')) as { info: Manifest }).info.version, version)
    const { code, out } = await runPayin(['--version'])
    assert.deepEqual([code, out], [0, `${version}\n`])
  })

  test('is that of the last release in the changelog, where there is one; what is new comes before it', () => {
    const headings = [...read('CHANGELOG.md').matchAll(/^## \[(.+?)\](?: - (\d{4}-\d{2}-\d{2}))?$/gm)]
    const [first, last] = headings.map(([, name]) => name)
    assert.equal(first, 'Unreleased')
    if (last !== undefined) assert.equal(last, version)
    for (const [heading, name, day] of headings) assert.ok(name === 'Unreleased' || day, heading)
  })
})

describe('a release', () => {
  const changelog = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- b\n\n## [0.1.0] - 2026-01-01\n\n- a\n'

  test('has what was unreleased under its heading', () => {
    const released = releaseChangelog(changelog, '0.2.0', '2026-02-02')
    assert.match(released, /^## \[Unreleased\]\n\n## \[0\.2\.0\] - 2026-02-02\n\n### Added\n\n- b\n\n## \[0\.1\.0\]/m)
    assert.throws(() => releaseChangelog(released, '0.3.0', '2026-03-03'), /nothing under Unreleased/)
  })

  test('writes its version into the manifests, and no other', () => {
    const manifest = '{ "version": "0.1.0", "peerDependencies": { "payin-sdk": "0.1.0", "other": "0.1.0" } }'
    const expected = '{ "version": "0.2.0", "peerDependencies": { "payin-sdk": "0.2.0", "other": "0.1.0" } }'
    assert.equal(withVersion(manifest, '0.1.0', '0.2.0'), expected)
  })
})
