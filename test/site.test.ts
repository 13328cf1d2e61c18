// How the documentation is built, and how the service finds what was built.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import Fastify from 'fastify'
import type { Logger } from 'pino'
import { buildOnce } from '../scripts/build-once.ts'
import { buildSite } from '../site/build-site.ts'
import { splitSections } from '../site/split-sections.ts'
import { registerDocs } from '../src/http/docs/docs.ts'
import { searchSections } from '../src/http/docs/search-pages.ts'
import { startBuilds } from '../src/process/start-builds.ts'
import { until } from './support/waiting.ts'

const root = resolve(import.meta.dirname, '..')

const makeFolder = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'payin-site-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('a build', () => {
  test('is made once of the same sources, and again when they have changed', async (t) => {
    const folder = makeFolder(t)
    const source = join(folder, 'source.txt')
    writeFileSync(source, 'one')
    let made = 0
    const build = () =>
      buildOnce({
        name: 'It',
        built: join(folder, 'dist'),
        sources: [source],
        make: async (to) => writeFileSync(join(to, 'made.txt'), String(++made)),
      })
    assert.match(await build(), /^It was built in [\d.]+ s\.$/)
    assert.equal(await build(), 'It is up to date.')
    writeFileSync(source, 'two')
    assert.match(await build(), /^It was built/)
    assert.equal(made, 2)
    assert.deepEqual(readdirSync(folder).toSorted(), ['dist', 'source.txt'])
    assert.deepEqual(readdirSync(join(folder, 'dist')).toSorted(), ['made.txt', 'sources.sha256'])
  })

  test('that fails leaves the one before', async (t) => {
    const folder = makeFolder(t)
    const source = join(folder, 'source.txt')
    writeFileSync(source, 'one')
    const given = { name: 'It', built: join(folder, 'dist'), sources: [source] }
    await buildOnce({ ...given, make: async (to) => writeFileSync(join(to, 'made.txt'), '') })
    writeFileSync(source, 'two')
    const failing = { ...given, make: () => Promise.reject(new Error('no space is left')) }
    await assert.rejects(() => buildOnce(failing), /no space is left/)
    assert.deepEqual(readdirSync(folder).toSorted(), ['dist', 'source.txt'])
    assert.ok(readdirSync(join(folder, 'dist')).includes('made.txt'))
  })

  test('of the documentation has every page as HTML and as Markdown', async () => {
    await buildSite()
    const pages = readdirSync(join(root, 'site', 'dist', 'docs'))
    const named = (ending: string) =>
      new Set(pages.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length)))
    assert.ok(named('.html').size > 20)
    assert.deepEqual(named('.html'), named('.md'))
  })
})

test('a process that serves the documentation builds it, unless it serves only what was built', async () => {
  const startWith = (settings: Parameters<typeof startBuilds>[0]): string[] => {
    const said: string[] = []
    const note = (_: object, text: string): void => void said.push(text)
    startBuilds(settings, { info: note, warn: note } as unknown as Logger)
    return said
  }
  const without = [
    startWith({ roles: ['worker'], console: 'build' }),
    startWith({ roles: ['web', 'worker'], console: 'serve' }),
  ]
  const said = startWith({ roles: ['web'], console: 'off' })
  await until('the documentation is built', () => said.length > 0)
  assert.deepEqual([said, ...without], [['the documentation is ready'], [], []])
})

describe('the service', () => {
  const open = (folder: string, publicUrl: string) => {
    const app = Fastify({ routerOptions: { maxParamLength: 2048 } })
    registerDocs(app, publicUrl, folder)
    return async (path: string) => {
      const { statusCode, headers, body } = await app.inject(path)
      return { status: statusCode, headers, body }
    }
  }
  const put = (folder: string, build: string, files: Readonly<Record<string, string>>): void => {
    mkdirSync(join(folder, 'docs'), { recursive: true })
    for (const [path, content] of Object.entries({ ...files, 'sources.sha256': build }))
      writeFileSync(join(folder, path), content)
  }

  test('asks to come back while there is no documentation, and shows another build at once', async (t) => {
    const folder = makeFolder(t)
    const get = open(folder, 'https://pay.example.com')
    for (const path of ['/docs', '/docs/a', '/docs/a.md', '/docs/search?q=a', '/llms.txt', '/docs/assets/0/a.css']) {
      const { status, headers, body } = await get(path)
      assert.deepEqual([status, headers['retry-after'], headers['refresh']], [503, '3', '3'], path)
      assert.match(body, /is being built/)
    }
    put(folder, 'first', { 'docs/a.html': 'one', 'sections.json': '[]', 'search.html': '{found}' })
    assert.deepEqual([(await get('/docs/a')).body, (await get('/docs/search?q=cat')).status], ['one', 200])
    const sections = JSON.stringify([{ address: '{base}/docs/a', title: 'A', heading: 'A', text: 'A cat.' }])
    put(folder, 'second', { 'docs/a.html': 'two', 'sections.json': sections })
    assert.equal((await get('/docs/a')).body, 'two')
    assert.match((await get('/docs/search?q=cat')).body, /<a href="\/docs\/a">A<\/a>/)
  })

  test('writes its address into pages, escaped, and into Markdown as it is', async (t) => {
    const folder = makeFolder(t)
    const text = '{base}/docs {url}/docs {other} $&'
    put(folder, 'first', { 'docs/a.html': text, 'docs/a.md': text })
    const get = open(folder, "https://pay.example.com/a&b'c")
    assert.equal(
      (await get('/docs/a')).body,
      '/a&#38;b&#39;c/docs https://pay.example.com/a&#38;b&#39;c/docs {other} $&',
    )
    assert.equal((await get('/docs/a.md')).body, "/a&b'c/docs https://pay.example.com/a&b'c/docs {other} $&")
  })

  test('serves nothing but what was built', async (t) => {
    const folder = makeFolder(t)
    put(join(folder, 'dist'), 'first', { 'docs/a.html': 'a', 'missing.html': 'none', 'docs/a.css': 'of pages' })
    writeFileSync(join(folder, 'secret.html'), 'secret')
    const get = open(join(folder, 'dist'), 'https://pay.example.com')
    const names = ['..%2fmissing', '..%2f..%2fsecret', '..%2f..%2fsecret.html', 'a.html', 'a.css', '', '.md', '%00']
    for (const name of [...names, 'a'.repeat(1000), `${'a'.repeat(1000)}.md`]) {
      const { status, body } = await get(`/docs/${name || '%20'}`)
      assert.deepEqual([status, body], [404, 'none'], name)
    }
    for (const path of ['..%2f/a.css', '0/..%2f..%2fsecret.html', '../docs/a.css'])
      assert.equal((await get(`/docs/assets/${path}`)).status, 404, path)
  })
})

describe('the search', () => {
  const sectionsOf = (slug: string, title: string, markdown: string) => splitSections({ slug, title, markdown })

  test('prefers headings, and shows where a word is', () => {
    const markdown = '# Cats\n\nA dog.\n\n## The dog\n\nBarks.\n\n```sh\n## not a heading\n```\n'
    const cats = sectionsOf('cats', 'Cats', markdown)
    const found = searchSections(cats, 'dog')
    assert.deepEqual(
      found.map(({ heading, address }) => [heading, address]),
      [
        ['The dog', '{base}/docs/cats#the-dog'],
        ['Cats', '{base}/docs/cats'],
      ],
    )
    assert.deepEqual(found[1]?.excerpt, ['A ', 'dog', '.'])
    assert.deepEqual(searchSections(cats, 'dog missing'), [])
  })

  test('finds a word only at its beginning', () => {
    const pages = [sectionsOf('a', 'Simulate', '# Simulate\n'), sectionsOf('b', 'Money', '# Money\n\nis_late')]
    assert.deepEqual(
      searchSections(pages.flat(), 'late').map(({ title }) => title),
      ['Money'],
    )
  })
})
