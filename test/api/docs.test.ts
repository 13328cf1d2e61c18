// The documentation for integrators: every page is there, its links lead somewhere, and what is generated is complete.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { buildSite } from '../../site/build-site.ts'
import { readMerchantApi } from '../../site/openapi-document.ts'
import { transitions } from '../../src/rules/payments/payment.ts'
import { storyOf } from '../../src/rules/sandbox/simulation.ts'
import { shareService } from '../support/shared-service.ts'

type Document = {
  readonly paths: Readonly<Record<string, object>>
  readonly tags: readonly { readonly name: string }[]
  readonly components: Readonly<Record<string, object>>
}

describe('the documentation', () => {
  before(buildSite)
  const service = shareService({ environment: { PUBLIC_URL: 'http://payin.test/pay' } })
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const { statusCode, headers: own, body } = await service().app.inject({ url: path.replace(/^\/pay/, ''), headers })
    return { status: statusCode, headers: own, body }
  }
  const listPages = async (): Promise<string[]> => {
    const { body } = await get('/llms.txt')
    return [...body.matchAll(/\((http[^)]+\/docs\/[^)]+)\.md\)/g)].map(([, url = '']) => new URL(url).pathname)
  }
  const openApi = async () => JSON.parse((await get('/openapi.json')).body) as Document
  const merchantOperations = async () => readMerchantApi(await openApi()).operations

  test('has every page as HTML and as Markdown, without anything left to generate', async () => {
    const pages = await listPages()
    assert.ok(pages.length > 15, String(pages.length))
    for (const path of pages) {
      const page = await get(path)
      assert.equal(page.status, 200, path)
      assert.match(String(page.headers['content-type']), /^text\/html/)
      assert.match(String(page.headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/)
      assert.equal(page.body.match(/<h1/g)?.length, 1, path)
      assert.doesNotMatch(page.body, / style="|<script(?! type="module" src=")| on\w+="|>\\n<|undefined|\[object/, path)
      const source = await get(`${path}.md`)
      assert.match(String(source.headers['content-type']), /^text\/markdown/)
      assert.match(source.body, /^# \S/m, path)
      assert.doesNotMatch(source.body, /<!-- generate|undefined|\[object/, path)
    }
  })

  test('links between pages lead to pages, and to headings on them', async () => {
    const ids = new Map<string, Set<string>>()
    const bodies = new Map<string, string>()
    for (const path of await listPages()) {
      const { body } = await get(path)
      const key = path.replace(/\/index$/, '')
      bodies.set(key, body)
      ids.set(key, new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)))
      assert.equal(ids.get(key)?.size, [...body.matchAll(/ id="/g)].length, `${path} has an id twice`)
    }
    const dead = [...bodies].flatMap(([from, body]) =>
      [...body.matchAll(/ href="(\/[^"#]*|)(?:#([^"]*))?"/g)].flatMap(([, path = '', anchor]) => {
        const target = path === '' ? from : path
        if (/\.(?:md|css|json)$/.test(target)) return []
        const known = ids.get(target)
        return known && (anchor === undefined || known.has(decodeURIComponent(anchor)))
          ? []
          : [`${from}: ${path}#${anchor}`]
      }),
    )
    assert.deepEqual(dead, [])
    // Files of the repository that are pages are linked as pages.
    assert.match(bodies.get('/pay/docs/contract') ?? '', /href="\/pay\/docs\/errors"|href="\/pay\/openapi.json"/)
  })

  test('whoever opens the address of the service gets to the documentation', async () => {
    const { status, headers } = await get('/')
    assert.deepEqual([status, headers['location']], [303, '/pay/docs'])
  })

  test('an address with a slash at its end leads to the page', async () => {
    for (const [from, to] of [
      ['/docs/', '/pay/docs'],
      ['/docs/quick-start/?utm=mail', '/pay/docs/quick-start?utm=mail'],
    ] as const) {
      const { status, headers } = await get(from)
      assert.deepEqual([status, headers['location']], [308, to])
    }
  })

  test('a document of its own has what merchants may ask for, and all that refers to', async () => {
    const whole = await openApi()
    const own = JSON.parse((await get('/openapi/merchant.json')).body) as Document
    const ids = (document: Document) => readMerchantApi(document).operations.map(({ id }) => id)
    assert.deepEqual(ids(own), ids(whole))
    assert.ok(Object.keys(own.paths).every((path) => /^\/api\/v1\/(?:merchant|sandbox)\//.test(path)))
    assert.ok(own.tags.every(({ name }) => !name.startsWith('operator')))
    const references = new Set(
      [...JSON.stringify(own).matchAll(/"#\/components\/([^/"]+)\/([^"]+)"/g)].map(([, ...key]) => key.join('/')),
    )
    const parts = Object.entries(own.components).flatMap(([kind, named]) =>
      kind === 'securitySchemes' ? [] : Object.keys(named).map((name) => `${kind}/${name}`),
    )
    assert.deepEqual(parts.toSorted(), [...references].toSorted())
  })

  test('all pages are one text for language models', async () => {
    const { body } = await get('/llms-full.txt')
    for (const path of await listPages()) assert.ok(body.includes((await get(`${path}.md`)).body), path)
  })

  test('every link of a page as Markdown, and of /llms.txt, leads somewhere', async () => {
    const paths = ['/docs.md', '/llms.txt', ...(await listPages()).map((path) => `${path}.md`)]
    const dead: string[] = []
    for (const path of paths) {
      const { status, body } = await get(path)
      assert.equal(status, 200, path)
      const prose = body.replace(/^ *```[^]*?^ *```/gm, '')
      const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
      for (const link of new Set(links)) {
        if (link.startsWith('https://')) continue
        const [target = '', anchor] = link.replace('http://payin.test/pay', '').split('#')
        const address = target === '' ? path : target
        const found = address.startsWith('/') ? await get(address) : { status: 404, body: '' }
        const shown = anchor === undefined ? found : await get(address.replace(/\.md$/, ''))
        const isThere = anchor === undefined || shown.body.includes(` id="${anchor}"`)
        if (found.status !== 200 || !isThere) dead.push(`${path}: ${link}`)
      }
    }
    assert.deepEqual(dead, [])
    assert.equal((await get('/docs.md')).body, (await get('/docs/index.md')).body)
    const { body } = await get('/docs/quick-start.md')
    assert.ok(body.includes('[Notifications](http://payin.test/pay/docs/notifications.md)'))
    // Files of the repository that are not served are named, without a link.
    assert.match((await get('/docs/notifications.md')).body, /\(the\s+command\s+line\)/)
  })

  test('its styles and scripts are of its own origin, kept for ever by their hash', async () => {
    const { body } = await get('/docs')
    for (const [, address = ''] of body.matchAll(/(?:src|stylesheet" href)="([^"]+)"/g)) {
      const file = await get(address)
      assert.equal(file.status, 200, address)
      assert.match(String(file.headers['cache-control']), /immutable/)
    }
    const page = await get('/docs/errors')
    const again = await get('/docs/errors', { 'if-none-match': String(page.headers['etag']) })
    assert.equal(again.status, 304)
  })

  test('the diagrams draw every transition', async () => {
    const { body } = await get('/docs/concepts.md')
    const drawn = new Set([...body.matchAll(/^ {2}(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} ${to}`))
    const coded = transitions.flatMap(({ from, to }) => from.map((each) => `${each} ${to}`.replaceAll('-', '_')))
    assert.deepEqual([...drawn].toSorted(), [...new Set(coded)].toSorted())
    const page = await get('/docs/concepts')
    assert.equal(page.body.match(/<svg/g)?.length, 3)
    const pairs = (body.match(/```mermaid[\s\S]*?```/g) ?? []).map(
      (diagram) => new Set([...diagram.matchAll(/^ {2}(\w+ --> \w+)/gm)].map(([, pair]) => pair)).size,
    )
    assert.equal(
      page.body.match(/marker-end/g)?.length,
      pairs.reduce((sum, count) => sum + count),
    )
  })

  test('every code that a merchant may get has a section with its remedy', async () => {
    const operations = await merchantOperations()
    const codes = new Set(operations.flatMap(({ refusals }) => refusals.map(({ code }) => code)))
    assert.ok(codes.has('order_conflict') && codes.has('rate_limited') && !codes.has('second_person_required'))
    const { body } = await get('/docs/errors')
    for (const code of codes) assert.match(body, new RegExp(`<h3 id="${code}">`), code)
    assert.equal(body.match(/What to do: /g)?.length, codes.size)
  })

  test('codes are named at operations that can refuse with them', async () => {
    const operations = await merchantOperations()
    const withCode = (code: string): string[] =>
      operations.flatMap(({ id, refusals }) => (refusals.some((each) => each.code === code) ? [id] : []))
    assert.deepEqual(withCode('amount_precision'), [
      'createPayment',
      'createLink',
      'openDispute',
      'requestRefund',
      'requestSettlement',
      'simulatePayment',
    ])
    assert.ok(!withCode('resource_not_found').includes('createLink'))
    const { body } = await get('/docs/errors.md')
    assert.match(body, /`code` is one of `required`, `unknown_field`, `invalid`, or a code of this page/)
  })

  test('the reference has every operation of a merchant with its address, its fields and samples', async () => {
    const all = await get('/docs/api')
    for (const { tag, method, path, summary } of await merchantOperations()) {
      const { body } = await get(`/docs/api-${tag}.md`)
      const from = body.indexOf(`\n## ${summary}\n`)
      assert.ok(from > 0, `${method} ${path}`)
      const section = body.slice(from + 1).split('\n## ')[0] ?? ''
      assert.ok(section.includes(`${method} ${path}`), path)
      for (const language of ['sh', 'ts']) {
        assert.ok(section.includes(`\`\`\`${language}\n`), `${path} in ${language}: see sdk-calls.ts`)
      }
      assert.ok(all.body.includes(path), path)
    }
    const { body } = await get('/docs/api-payments.md')
    assert.match(body, /\| `payment.rate.USDT.price` \| number \|/)
    assert.match(body, /\| `orderId` \| string, required \|/)
    assert.match(body, /\| `userId` \| string \| The merchant's own identifier of its user\. 1 to 128 characters\./)
    // What the field says of itself, not the schema that it shares with others.
    assert.match(body, /\| `status` \| string \| The status that you know\./)
  })

  test('the table of the sandbox has every amount that plays a story', async () => {
    const { body } = await get('/docs/sandbox.md')
    for (let ending = 0n; ending < 100n; ending++) {
      const row = `| \`.${String(ending).padStart(2, '0')}\` |`
      assert.equal(body.includes(row), Object.keys(storyOf(100_000n + ending, 'rub')).length > 0, row)
    }
    assert.match(body, /\| `\.02` \| half arrives after 2 seconds, half arrives after 4 seconds \|/)
  })

  test('the search finds sections by all of their words', async () => {
    const page = await get('/docs/search?q=order_conflict')
    assert.match(page.body, /<h1>Search: order_conflict<\/h1>[\s\S]*href="\/pay\/docs\/errors#order_conflict"/)
    assert.match((await get('/docs/search?q=RATE+limited')).body, /<ol class="found"><li><a href="\/pay\/docs\/errors#/)
    const nothing = await get(`/docs/search?q=${encodeURIComponent('<b>xyzzy')}`)
    assert.match(nothing.body, /&#60;b&#62;xyzzy|&lt;b&gt;xyzzy/)
    assert.match(nothing.body, /Nothing has all of these words/)
    assert.equal((await get('/docs/search?q=a&q=b')).status, 200)
  })

  test('an address without a page is a page that helps', async () => {
    for (const name of ['nothing', 'nothing.md', '..%2fpackage', 'search.md']) {
      const { status, body } = await get(`/docs/${name}`)
      assert.equal(status, 404, name)
      assert.match(body, /There is no such page/)
    }
  })
})
