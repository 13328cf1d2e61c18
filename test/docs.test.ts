// Keeps docs/domain.md and docs/contract.md true: their tables are compared with the code and the OpenAPI document, and
// whatever cites one of their sections finds it.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { defaultTerms, type Terms, termsBounds } from '../src/rules/merchants/merchant.ts'
import { notificationKinds } from '../src/rules/notices/notification.ts'
import { closedStatuses, creditedStatuses, paymentStatuses, transitions } from '../src/rules/payments/payment.ts'
import { settlementTransitions } from '../src/rules/money/settlement.ts'
import { simulatedEvents } from '../src/rules/sandbox/simulation.ts'
import { statementStates } from '../src/rules/statements/statement-import.ts'
import { disputeStates } from '../src/rules/payments/dispute.ts'
import { invariantNames } from '../src/engine/invariants/check-invariants.ts'
import { apiDocument, withReferences } from './support/api-document.ts'
import { anchorOf, codeWords as words } from './support/markdown.ts'

const root = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const domain = read('docs/domain.md')
const contract = read('docs/contract.md')

/** The text from a heading to the next one of any level. */
const sectionOf = (document: string, heading: string): string => {
  const start = document.indexOf(`\n${heading}\n`)
  assert.ok(start >= 0, `no heading: ${heading}`)
  const text = document.slice(start + heading.length + 2)
  const next = text.search(/^#/m)
  return next < 0 ? text : text.slice(0, next)
}

/** The tables of a text as rows of cells, each without its heading. */
const tablesOf = (text: string): string[][][] =>
  [...text.matchAll(/(?:^ *\|.*\|\n)+/gm)].map(([table]) =>
    table
      .trim()
      .split('\n')
      .slice(2)
      .map((line) =>
        line
          .trim()
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
  )

const rowsOf = (document: string, heading: string): string[][] => tablesOf(sectionOf(document, heading))[0] ?? []

const firstWords = (rows: string[][]): string[] => rows.flatMap(([cell]) => words(cell))

const transition = (from: string, to: string, trigger: string): string => `${from} → ${to} by ${trigger}`

describe('docs/domain.md', () => {
  test('the statuses, and which of them are closed and acknowledged, are those of the code', () => {
    const rows = rowsOf(domain, '### 2.1 The statuses')
    assert.deepEqual(firstWords(rows).toSorted(), [...paymentStatuses].toSorted())
    const marked = (column: number) => firstWords(rows.filter((row) => row[column] === 'yes')).toSorted()
    assert.deepEqual(marked(2), [...closedStatuses].toSorted())
    assert.deepEqual(marked(3), [...creditedStatuses].toSorted())
  })

  test('the transitions are those of the code', () => {
    const written = rowsOf(domain, '### 2.2 The transitions').flatMap(([from, to, trigger]) =>
      words(from).flatMap((each) => words(to).map((other) => transition(each, other, words(trigger)[0] ?? ''))),
    )
    const coded = transitions.flatMap(({ from, to, trigger }) => from.map((each) => transition(each, to, trigger)))
    assert.deepEqual(written.toSorted(), coded.toSorted())
  })

  test('every document that counts the invariants has their number', () => {
    const documents = [...globSync('docs/**/*.md', { cwd: root }), 'README.md', 'CHANGELOG.md']
    const counted = documents.flatMap((path) =>
      [...read(path).matchAll(/(\d+)\s+invariants\b/g)].map(([, count]) => ({ path, count: Number(count) })),
    )
    assert.ok(counted.length > 2)
    assert.deepEqual(
      counted.filter(({ count }) => count !== invariantNames.length),
      [],
    )
  })

  test('the terms have the names and the defaults of the code', () => {
    const rows = rowsOf(domain, '### 3.4 Terms')
    const named = firstWords(rows)
    const policies = [
      'mismatchPolicy',
      'partialPolicy',
      'latePolicy',
      'ratePolicy',
      'paidAgainPolicy',
      'payoutPolicy',
      'refundFee',
      'equalAmounts',
    ]
    assert.deepEqual(named.toSorted(), [...Object.keys(termsBounds), ...policies].toSorted())
    const units: Readonly<Record<string, number>> = { min: 60_000, h: 3_600_000, d: 86_400_000 }
    const inMs = (text = ''): number => {
      const [, digits, unit = ''] = /^(\d+) ?(\w*)$/.exec(text) ?? []
      return Number(digits) * (units[unit] ?? 1)
    }
    for (const [name, value, bounds = ''] of rows) {
      const [term = ''] = words(name)
      if (!term.endsWith('Ms')) continue
      const defaults = (['sbp', 'account-to-account'] as const).map(
        (method) => defaultTerms(method)[term as keyof Terms],
      )
      assert.deepEqual([...new Set(value?.split(' or ').map(inMs))], [...new Set(defaults)], term)
      assert.deepEqual(bounds.split(' – ').map(inMs), termsBounds[term as keyof typeof termsBounds], term)
    }
  })

  test('the states of statements, disputes and settlements are those of the code', () => {
    assert.deepEqual(firstWords(rowsOf(domain, '### 6.8 Statement files')), [...statementStates])
    assert.deepEqual(firstWords(rowsOf(domain, '## 7. Disputes')), [...disputeStates])
    const steps = rowsOf(domain, '### 8.5 Settlements').flatMap(([from, step = '', to]) =>
      words(from).map((each) => transition(each, words(to)[0] ?? '', step)),
    )
    const coded = settlementTransitions.flatMap(({ from, to, step }) => from.map((each) => transition(each, to, step)))
    assert.deepEqual(steps.toSorted(), coded.toSorted())
  })

  test('the kinds of notifications and the simulated events are those of the code', () => {
    assert.deepEqual(firstWords(rowsOf(domain, '## 9. Notifications')).toSorted(), [...notificationKinds].toSorted())
    const [, listed = ''] = /The events are ([^.]*)\./.exec(sectionOf(domain, '## 10. Sandbox')) ?? []
    assert.deepEqual(
      words(listed).filter((word) => word !== 'new'),
      [...simulatedEvents],
    )
  })
})

type Schema = {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
}
type Body = { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
type Operation = { readonly requestBody?: Body; readonly responses: Readonly<Record<string, Body>> }

const { paths } = withReferences(apiDocument) as {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
const payments = '/api/v1/merchant/payments'

const operation = (method: string, path: string): Operation => {
  const found = paths[path]?.[method]
  assert.ok(found, `docs/openapi.json has no ${method.toUpperCase()} ${path}`)
  return found
}
const requestOf = (method: string, path: string): Schema =>
  operation(method, path).requestBody?.content['application/json'].schema ?? {}
const responseOf = (method: string, path: string, status = '200'): Schema =>
  operation(method, path).responses[status]?.content['application/json'].schema ?? {}

describe('docs/contract.md', () => {
  test('its five operations are in the OpenAPI document', () => {
    const operations = rowsOf(contract, '## 4. Operations').flatMap(([, each]) => words(each))
    assert.equal(operations.length, 5)
    for (const each of operations) {
      const [method = '', path = ''] = each.split(' ')
      operation(method.toLowerCase(), path)
    }
  })

  const created = responseOf('post', payments, '201')
  const request = requestOf('post', payments)
  const details = responseOf('get', `${payments}/byOrderId/{orderId}`)
  const resources: readonly [heading: string, table: number, schema: Schema | undefined][] = [
    ['### 2.1 Currency limit', 0, responseOf('get', `${payments}/currencies`).properties?.['currencies']?.items],
    ['### 2.2 Create request', 0, request],
    ['### 2.3 Create response', 0, created],
    ['### 2.3 Create response', 1, created.properties?.['payment']],
    ['### 2.3 Create response', 2, created.properties?.['card']],
    ['### 2.4 Status response', 0, responseOf('get', `${payments}/byOrderId/{orderId}/status`)],
    ['### 2.5 Details response', 0, details],
  ]
  for (const [heading, table, schema] of resources) {
    const rows = tablesOf(sectionOf(contract, heading))[table] ?? []
    test(`${heading.slice(4)}, table ${table + 1}: the fields and their types are in the OpenAPI document`, () => {
      assert.ok(rows.length > 0)
      for (const [name, type = ''] of rows) {
        const [field = ''] = words(name)
        const found = schema?.properties?.[field]
        assert.ok(found, `${field} is not in the OpenAPI document`)
        assert.equal(found.type, /^\w+/.exec(type)?.[0], field)
        if (type.includes('(UUID)')) assert.equal(found.format, 'uuid', field)
        if (type.includes('(ISO 8601)')) assert.equal(found.format, 'date-time', field)
      }
    })
    if (schema !== request) {
      test(`${heading.slice(4)}, table ${table + 1}: the answer has no other field`, () => {
        assert.deepEqual(Object.keys(schema?.properties ?? {}).toSorted(), firstWords(rows).toSorted())
      })
    }
  }

  test('the words of the create request are those of the OpenAPI document', () => {
    const rows = new Map(rowsOf(contract, '### 2.2 Create request').map(([name, , values]) => [words(name)[0], values]))
    const isWritten = (field: string) =>
      (request.properties?.[field]?.enum ?? []).every((word) => words(rows.get(field)).includes(word))
    for (const field of ['type', 'method', 'transferScope']) assert.ok(isWritten(field), field)
    const methods = rowsOf(contract, '## 1. What the service does')
    assert.deepEqual(firstWords(methods).toSorted(), [...(request.properties?.['method']?.enum ?? [])].toSorted())
  })

  test('finalAmount alone may be missing from the details, and the acknowledgement needs the orderId alone', () => {
    const optional = Object.keys(details.properties ?? {}).filter((field) => !details.required?.includes(field))
    assert.deepEqual(optional, ['finalAmount'])
    assert.deepEqual(requestOf('post', `${payments}/byOrderId/ack`).required, ['orderId'])
  })

  test('every status is one of the domain', () => {
    const named = firstWords(rowsOf(contract, '## 3. Statuses'))
    assert.ok(named.length > 0 && named.every((status) => (paymentStatuses as readonly string[]).includes(status)))
  })
})

const sectionsOf = (document: string): Set<string> =>
  new Set([...document.matchAll(/^#{2,4} (\d+(?:\.\d+)*)\.? /gm)].map(([, number = '']) => number))
const anchorsOf = (document: string): Set<string> =>
  new Set([...document.matchAll(/^#{1,4} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)))

describe('citations', () => {
  const files = ['src', 'packages', 'test', 'scripts', 'bench', 'docs', 'migrations'].flatMap((folder) =>
    globSync(`${folder}/**/*.{ts,js,md,sql}`, { cwd: root }),
  )
  const texts = [...files, 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].map((path) => ({
    path,
    text: read(path),
  }))

  test('whatever cites a section of the domain or the contract finds it', () => {
    const sections = { domain: sectionsOf(domain), contract: sectionsOf(contract) }
    // Table rows of the contract count as its sections 4.1 to 4.5.
    for (const [number = ''] of rowsOf(contract, '## 4. Operations')) sections.contract.add(number)
    const cited = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/docs\/(domain|contract)\.md((?:,? (?:and )?§\d+(?:\.\d+)*)+)/g)].flatMap(
        ([, name = '', list = '']) =>
          [...list.matchAll(/§([\d.]*\d)/g)].map(([, number = '']) => ({ path, name, number })),
      ),
    )
    assert.ok(cited.length > 20)
    const missing = cited.filter(({ name, number }) => !sections[name as keyof typeof sections].has(number))
    assert.deepEqual(missing, [])
  })

  test('links to headings of these pages find them', () => {
    const anchors = { 'domain.md': anchorsOf(domain), 'contract.md': anchorsOf(contract) }
    const broken = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?:[\w./-]*?(domain\.md|contract\.md))?#([^)]+)\)/g)].flatMap(([, page, anchor = '']) => {
        const own = path === 'docs/domain.md' ? 'domain.md' : path === 'docs/contract.md' ? 'contract.md' : undefined
        const target = (page ?? own) as keyof typeof anchors | undefined
        return target !== undefined && !anchors[target].has(anchor) ? [`${path}: #${anchor}`] : []
      }),
    )
    assert.deepEqual(broken, [])
  })

  test('files that the documents name exist', () => {
    const documents = texts.filter(({ path }) => path.endsWith('.md') && !/glossary|CHANGELOG/.test(path))
    const missing = documents.flatMap(({ path, text }) =>
      words(text)
        .filter((word) => /^[\w-][\w./-]*\/[\w.-]+\.(?:ts|sql|md)$/.test(word))
        .filter((word) => !/NNNN/.test(word) && ![word, `src/${word}`].some((each) => existsSync(join(root, each))))
        .map((word) => `${path}: ${word}`),
    )
    assert.deepEqual(missing, [])
  })

  test('nothing cites rules that are not in the repository, or calls an operation an extension', () => {
    const wrong = texts.flatMap(({ path, text }) => {
      if (path === 'test/docs.test.ts') return []
      return [...text.matchAll(/domain rules §|beyond the contract|reliability §|experience §/gi)].map(
        ([found]) => `${path}: ${found}`,
      )
    })
    assert.deepEqual(wrong, [])
  })
})

describe('secrets in documents', () => {
  const documents = globSync(['README.md', 'docs/**/*.md', 'deploy/**', 'src/cli/*.ts', 'src/rules/*error-codes.ts'], {
    withFileTypes: true,
    cwd: root,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

  test('no command has a token where the list of processes shows it', () => {
    const shown = documents.filter((path) => /--token "?\$|with --token and/.test(readFileSync(path, 'utf8')))
    assert.deepEqual(shown, [])
  })

  test('the guide to backups names the settings whose content the service needs, and says that PAYIN_SECRET is none', () => {
    const backup = read('docs/operate/backup.md')
    const named = firstWords(rowsOf(backup, '## What to keep')).filter((word) => word.startsWith('PAYIN_'))
    assert.deepEqual(named, ['PAYIN_ENCRYPTION_KEYS', 'PAYIN_OPERATOR_TOKEN', 'PAYIN_FILE_STORAGE'])
    assert.match(backup, /`PAYIN_SECRET` is not a secret of the service/)
  })
})
