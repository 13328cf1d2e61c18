import type { Section } from '../src/http/docs/search-pages.ts'
import type { DocsPage } from './pages.ts'
import { openAnchors, plain, readMarkdown } from './render-markdown.ts'
import { addressOf } from './show-page.ts'

// Removes what Markdown adds to the words.
const asText = (markdown: string): string =>
  markdown
    .replace(/<!--[^<>]*-->/g, '')
    .replace(/\]\([^)\s\]]*\)/g, ' ')
    .replace(/^\|[ |:-]*$/gm, '')
    .replace(/[`*#[|>\\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** The sections of a page, in which the service searches for words. */
export const splitSections = ({ slug, title, markdown }: Pick<DocsPage, 'slug' | 'title' | 'markdown'>): Section[] => {
  const anchorOf = openAnchors()
  const page = addressOf(slug)
  const sections: { heading: string; address: string; parts: string[] }[] = [
    { heading: title, address: page, parts: [] },
  ]
  for (const token of readMarkdown(markdown)) {
    if (token.type === 'heading') {
      const heading = plain(token.tokens ?? [])
      const anchor = anchorOf(heading)
      if (token['depth'] > 1) sections.push({ heading, address: `${page}#${anchor}`, parts: [] })
      // Of code, only the addresses of operations are searched.
    } else if (token.type !== 'code') sections.at(-1)?.parts.push(token.raw)
    else if (token['lang'] === 'http') sections.at(-1)?.parts.push(token['text'])
  }
  return sections.map(({ parts, ...section }) => ({ title, ...section, text: asText(parts.join('\n')) }))
}
