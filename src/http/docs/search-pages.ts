import { openAnchors, plain, readMarkdown } from './render-markdown.ts'
import type { DocsPage } from './pages.ts'

type Section = {
  readonly slug: string
  readonly title: string
  readonly heading: string
  readonly anchor: string
  readonly text: string
}

/** A section that a search has found. */
export type FoundSection = Omit<Section, 'text'> & {
  /** Its text around the first match: before it, the match, and after it. */
  readonly excerpt: readonly string[]
}

/** Finds sections by words. */
export type Search = (query: string) => readonly FoundSection[]

const mostFound = 20
const longestQuery = 100
const around = 70

// Removes what Markdown adds to the words.
const asText = (markdown: string): string =>
  markdown
    .replace(/<!--[^<>]*-->/g, '')
    .replace(/\]\([^)\s\]]*\)/g, ' ')
    .replace(/^\|[ |:-]*$/gm, '')
    .replace(/[`*#[|>\\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const sectionsOf = ({ slug, title, markdown }: DocsPage): readonly Section[] => {
  const anchorOf = openAnchors()
  const sections: { heading: string; anchor: string; parts: string[] }[] = [{ heading: title, anchor: '', parts: [] }]
  for (const token of readMarkdown(markdown)) {
    if (token.type === 'heading') {
      const heading = plain(token.tokens ?? [])
      const anchor = anchorOf(heading)
      if (token['depth'] > 1) sections.push({ heading, anchor, parts: [] })
      // Of code, only the addresses of operations are searched.
    } else if (token.type !== 'code') sections.at(-1)?.parts.push(token.raw)
    else if (token['lang'] === 'http') sections.at(-1)?.parts.push(token['text'])
  }
  return sections.map(({ parts, ...section }) => ({ slug, title, ...section, text: asText(parts.join('\n')) }))
}

/** The first three positions of a word in a text, at beginnings of words there. */
const positionsOf = (text: string, word: string): readonly number[] => {
  const positions: number[] = []
  for (let at = text.indexOf(word); at >= 0 && positions.length < 3; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) positions.push(at)
  }
  return positions
}

/** How well a section fits; 0 if a word is missing. */
const rank = (section: Section, words: readonly string[]): number => {
  const [heading, title, text] = [section.heading, section.title, section.text].map((each) => each.toLowerCase())
  const each = words.map((word) => {
    const has = (part = ''): number => positionsOf(part, word).length
    const isWhole = heading === word
    return (has(heading) > 0 ? 10 : 0) + (isWhole ? 10 : 0) + (has(title) > 0 ? 4 : 0) + has(text)
  })
  return each.includes(0) ? 0 : each.reduce((sum, points) => sum + points, 0)
}

const excerptOf = (text: string, words: readonly string[]): readonly string[] => {
  const lower = text.toLowerCase()
  const positions = words.flatMap((word) => positionsOf(lower, word).map((at) => ({ at, length: word.length })))
  const { at, length } = positions.toSorted((a, b) => a.at - b.at)[0] ?? { at: 0, length: 0 }
  const start = at <= around ? 0 : text.lastIndexOf(' ', at - around) + 1
  const end = at + length
  const until = text.indexOf(' ', end + around)
  return [
    (start > 0 ? '… ' : '') + text.slice(start, at),
    text.slice(at, end),
    until < 0 ? text.slice(end) : `${text.slice(end, until)} …`,
  ]
}

/** Prepares the search over all pages. */
export const openSearch = (pages: readonly DocsPage[]): Search => {
  const sections = pages.flatMap(sectionsOf)
  return (query) => {
    const words = query
      .slice(0, longestQuery)
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    if (words.length === 0) return []
    return sections
      .map((section) => ({ section, points: rank(section, words) }))
      .filter(({ points }) => points > 0)
      .toSorted((a, b) => b.points - a.points)
      .slice(0, mostFound)
      .map(({ section: { text, ...section } }) => ({ ...section, excerpt: excerptOf(text, words) }))
  }
}
