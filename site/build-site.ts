// `npm run build:site`: builds the documentation for integrators into site/dist, unless what is there was made of the
// same sources. In place of `{url}` and `{base}`, the service writes its address and the path of that.
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { buildOnce } from '../scripts/build-once.ts'
import type { DocsPage } from './pages.ts'

const root = resolve(import.meta.dirname, '..')

/** The address of the service in the sources. */
const authorsAddress = 'http://localhost:8080'

const writeLlms = (pages: readonly DocsPage[]): string => {
  const groups = [...Map.groupBy(pages, ({ group }) => group)].map(([group, own]) => {
    const links = own.map(({ slug, title }) => `- [${title}]({url}/docs/${slug}.md)`)
    return `## ${group}\n\n${links.join('\n')}`
  })
  return [
    '# Payin',
    '> Merchant payment acceptance by bank transfer: a merchant creates a payment, its user sends the money from a bank app, Payin finds the payment it was for and notifies the merchant, which acknowledges it.',
    'The API is described by [an OpenAPI document]({url}/openapi/merchant.json). Begin with the quick start; [all pages are one text]({url}/llms-full.txt), too.',
    ...groups,
    '',
  ].join('\n\n')
}

/** Writes the documentation into a folder. */
const makeSite = async (folder: string): Promise<void> => {
  // Here, because loading it takes longer than finding out that there is nothing to build.
  const [{ readMerchantApi }, { linksOf, readPages }, { linkMarkdown, renderMarkdown }, show, { splitSections }] =
    await Promise.all([
      import('./openapi-document.ts'),
      import('./pages.ts'),
      import('./render-markdown.ts'),
      import('./show-page.ts'),
      import('./split-sections.ts'),
    ])
  const write = async (path: string, content: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content.replaceAll(authorsAddress, '{url}'))
  }
  /** Writes a file of this folder, and returns its address, in which is a hash of its content. */
  const writeAsset = async (name: string): Promise<string> => {
    const content = await readFile(join(import.meta.dirname, name), 'utf8')
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
    await write(`assets/${hash}/${name}`, content)
    return `{base}/docs/assets/${hash}/${name}`
  }
  const api = JSON.parse(await readFile(join(root, 'docs', 'openapi.json'), 'utf8')) as object
  const pages = readPages(readMerchantApi(api))
  const frame = { pages, style: await writeAsset('docs.css'), script: await writeAsset('page-extras.js') }
  const texts: string[] = []
  for (const page of pages) {
    if (/\{(?:url|base)\}/.test(page.markdown)) throw new Error(`${page.file} has words that the service would replace`)
    const links = linksOf(page, pages, { base: '{base}', addressOf: show.addressOf })
    await write(`docs/${page.slug}.html`, show.showPage(frame, page, renderMarkdown(page.markdown, links)))
    // Links of Markdown are absolute, and lead to Markdown.
    const fullLinks = linksOf(page, pages, { base: '{url}', addressOf: (slug) => `{url}/docs/${slug}.md` })
    const text = linkMarkdown(page.markdown, fullLinks)
    await write(`docs/${page.slug}.md`, text)
    texts.push(text)
  }
  await write('llms.txt', writeLlms(pages))
  await write('llms-full.txt', texts.join('\n\n'))
  await write('missing.html', show.showMissing(frame))
  await write('search.html', show.showSearch(frame))
  await write('sections.json', JSON.stringify(pages.flatMap(splitSections)))
}

/** Builds the documentation if its sources have changed; returns what there is to say about that. */
export const buildSite = (): Promise<string> =>
  buildOnce({
    name: 'The documentation',
    built: join(import.meta.dirname, 'dist'),
    sources: [
      'site/**/*',
      'docs/{*,integrate/*}.{md,json}',
      'sdk/README.md',
      'CHANGELOG.md',
      'src/rules/**/*.ts',
      'scripts/build-once.ts',
      'package-lock.json',
    ],
    make: makeSite,
  })

// Not awaited, because test files import this one and are loaded synchronously.
if (import.meta.main) void buildSite().then(console.log)
