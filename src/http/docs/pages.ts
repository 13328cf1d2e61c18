import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { asAnchor } from './render-markdown.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { writeErrors, writeFieldCodes } from './write-errors.ts'
import { referenceTags, writeOperations, writeReference } from './write-reference.ts'
import {
  writeDiagram,
  writeMagicAmounts,
  writeMethods,
  writeRetries,
  writeSimulatedEvents,
  writeSpans,
  writeStatuses,
} from './write-rules.ts'

/** A page of the documentation, as Markdown with everything generated in it. */
export type DocsPage = {
  /** Its address is `/docs/<slug>`. */
  readonly slug: string
  readonly group: string
  readonly title: string
  /** The file that it is made from; its links are relative to that file. */
  readonly file: string
  readonly markdown: string
}

const root = resolve(import.meta.dirname, '..', '..', '..')

/** The pages in the order of the navigation, each with its file in the repository. */
const groups: readonly (readonly [group: string, pages: Readonly<Record<string, string>>])[] = [
  [
    'Start',
    {
      index: 'docs/integrate/index.md',
      'quick-start': 'docs/integrate/quick-start.md',
      concepts: 'docs/integrate/concepts.md',
      sandbox: 'docs/integrate/sandbox.md',
      'going-live': 'docs/integrate/going-live.md',
    },
  ],
  [
    'Guides',
    {
      'payment-links': 'docs/integrate/payment-links.md',
      methods: 'docs/integrate/methods.md',
      capacity: 'docs/integrate/capacity.md',
      notifications: 'docs/webhooks.md',
      polling: 'docs/integrate/polling.md',
      acknowledging: 'docs/integrate/acknowledging.md',
      'odd-money': 'docs/integrate/odd-money.md',
      rates: 'docs/integrate/rates.md',
      security: 'docs/integrate/security.md',
      'check-integration': 'docs/integrate/check-integration.md',
      sdk: 'sdk/README.md',
    },
  ],
  [
    'API reference',
    {
      errors: 'docs/integrate/errors.md',
      limits: 'docs/integrate/limits.md',
      api: 'docs/integrate/api.md',
    },
  ],
  [
    'About',
    {
      contract: 'docs/contract.md',
      versions: 'docs/integrate/versions.md',
      changelog: 'CHANGELOG.md',
    },
  ],
]

/** Files that have no page of their own, and the page that says the same. */
const saidElsewhere: Readonly<Record<string, string>> = { 'docs/errors.md': 'errors' }

/** What `<!-- generate: name -->` in a page becomes. */
const generated: Readonly<Record<string, (document: OpenApiDocument) => string>> = {
  statuses: writeStatuses,
  'usual life': () => writeDiagram('usual'),
  'another amount': () => writeDiagram('another amount'),
  'life of a dispute': () => writeDiagram('disputes'),
  methods: writeMethods,
  spans: writeSpans,
  'magic amounts': writeMagicAmounts,
  'simulated events': writeSimulatedEvents,
  retries: writeRetries,
  'field codes': writeFieldCodes,
  errors: writeErrors,
  operations: (document) => writeOperations(document, asAnchor),
}

const fill = (markdown: string, document: OpenApiDocument, publicUrl: string): string =>
  markdown
    .replace(/<!-- generate: ([a-z ]+) -->/g, (mark, name: string) => generated[name]?.(document) ?? mark)
    .replaceAll('http://localhost:8080', publicUrl)

const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? ''

/** All pages of the documentation, in the order in which they are read. */
export const readPages = (document: OpenApiDocument, publicUrl: string): readonly DocsPage[] => {
  const make = (slug: string, group: string, file: string, source: string): DocsPage => {
    const markdown = fill(source, document, publicUrl)
    return { slug, group, title: titleOf(markdown), file, markdown }
  }
  const reference = referenceTags(document).map((tag) =>
    make(`api-${tag}`, 'API reference', `docs/integrate/api-${tag}.md`, writeReference(tag, document)),
  )
  return groups.flatMap(([group, pages]) => [
    ...Object.entries(pages).map(([slug, file]) => make(slug, group, file, readFileSync(join(root, file), 'utf8'))),
    ...reference.filter((page) => page.group === group),
  ])
}

/** The page of a file of the repository; undefined if it has none. */
export const slugOfFile = (file: string, pages: readonly DocsPage[]): string | undefined =>
  pages.find((page) => page.file === file)?.slug ?? saidElsewhere[file]
