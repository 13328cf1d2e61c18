import { readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import type { MerchantApi } from './openapi-document.ts'
import type { MakeLink } from './render-markdown.ts'
import { writeErrors, writeFieldCodes } from './write-errors.ts'
import { writeOperations, writeReference } from './write-reference.ts'
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
  /** Its address is `/docs/<slug>`, and that of `index` also `/docs`. */
  readonly slug: string
  readonly group: string
  readonly title: string
  /** The file that it is made from; its links are relative to that file. */
  readonly file: string
  readonly markdown: string
}

const root = resolve(import.meta.dirname, '..')

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
const generated: Readonly<Record<string, (api: MerchantApi) => string>> = {
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
  operations: writeOperations,
}

const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? ''

/** All pages of the documentation, in the order in which they are read. */
export const readPages = (api: MerchantApi): readonly DocsPage[] => {
  const make = (slug: string, group: string, file: string, source: string): DocsPage => {
    const markdown = source.replace(
      /<!-- generate: ([a-z ]+) -->/g,
      (mark, name: string) => generated[name]?.(api) ?? mark,
    )
    return { slug, group, title: titleOf(markdown), file, markdown }
  }
  const reference = [...api.tags.keys()].map((tag) =>
    make(`api-${tag}`, 'API reference', `docs/integrate/api-${tag}.md`, writeReference(tag, api)),
  )
  return groups.flatMap(([group, pages]) => [
    ...Object.entries(pages).map(([slug, file]) => make(slug, group, file, readFileSync(join(root, file), 'utf8'))),
    ...reference.filter((page) => page.group === group),
  ])
}

/** How the addresses of a service are written: what they begin with, and that of a page. */
export type Addresses = { readonly base: string; readonly addressOf: (slug: string) => string }

/** Turns links from a page to files of the repository into links to pages; undefined for a file that is not a page. */
export const linksOf =
  (from: DocsPage, pages: readonly DocsPage[], { base, addressOf }: Addresses): MakeLink =>
  (href) => {
    if (/^[a-z][a-z+.-]*:/.test(href) || href.startsWith('#')) return href
    const [path = '', anchor] = href.split('#')
    const file = posix.join(posix.dirname(from.file), path)
    if (file === 'docs/openapi.json') return `${base}/openapi/merchant.json`
    const slug = pages.find((page) => page.file === file)?.slug ?? saidElsewhere[file]
    return slug && addressOf(slug) + (anchor === undefined ? '' : `#${anchor}`)
  }
