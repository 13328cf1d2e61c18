import { openAnchors } from './anchors.ts'
import type { Page } from './pages.ts'

type Section = {
  readonly slug: string
  readonly title: string
  readonly heading: string
  readonly anchor: string
  readonly text: string
}

/** A section that has what was searched for. */
export type Found = Omit<Section, 'text'> & {
  /** Parts of its text around what was found; every second one is what was found. */
  readonly excerpt: readonly string[]
}

/** Finds sections by words. */
export type Search = (query: string) => readonly Found[]

const mostFound = 20
const longestQuery = 100
const around = 70

// What Markdown adds to the words.
const asText = (markdown: string): string =>
  markdown
    .replace(/^```.*$/gm, '')
    .replace(/<!--[^<>]*-->/g, '')
    .replace(/\]\([^)\s\]]*\)/g, ' ')
    .replace(/^\|[ |:-]*$/gm, '')
    .replace(/[`*#[|>\\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const sectionsOf = ({ slug, title, markdown }: Page): readonly Section[] => {
  const anchorOf = openAnchors()
  let isCode = false
  const sections: { heading: string; anchor: string; lines: string[] }[] = [{ heading: title, anchor: '', lines: [] }]
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    const [, marks = '', words = ''] = (!isCode && /^(#{1,6}) (.+)$/.exec(line)) || []
    if (marks === '') {
      sections.at(-1)?.lines.push(line)
      continue
    }
    const heading = words.replaceAll('`', '')
    const anchor = anchorOf(heading)
    if (marks.length > 1) sections.push({ heading, anchor, lines: [] })
  }
  return sections.map(({ heading, anchor, lines }) => ({
    slug,
    title,
    heading,
    anchor,
    text: asText(lines.join('\n')),
  }))
}

const occurrences = (text: string, word: string): number => text.split(word, 4).length - 1

/** How well a section fits; 0 where a word is missing. */
const rank = (section: Section, words: readonly string[]): number => {
  const heading = section.heading.toLowerCase()
  const title = section.title.toLowerCase()
  const text = section.text.toLowerCase()
  const each = words.map((word) => {
    const isStart = new Set(heading.split(/[^\p{L}\p{N}]/u)).has(word)
    return (
      (heading.includes(word) ? 10 : 0) +
      (isStart || heading === word ? 5 : 0) +
      (title.includes(word) ? 4 : 0) +
      occurrences(text, word)
    )
  })
  return each.includes(0) ? 0 : each.reduce((sum, points) => sum + points, 0)
}

const excerptOf = (text: string, words: readonly string[]): readonly string[] => {
  const lower = text.toLowerCase()
  const positions = words.flatMap((word) => {
    const at = lower.indexOf(word)
    return at < 0 ? [] : [{ at, length: word.length }]
  })
  const [first] = positions.toSorted((a, b) => a.at - b.at)
  if (!first) return [text.slice(0, 2 * around)]
  const start = Math.max(0, text.lastIndexOf(' ', Math.max(0, first.at - around)) + 1)
  const end = first.at + first.length
  const until = text.indexOf(' ', end + around)
  return [
    (start > 0 ? '… ' : '') + text.slice(start, first.at),
    text.slice(first.at, end),
    text.slice(end, until < 0 ? undefined : until) + (until < 0 ? '' : ' …'),
  ]
}

/** Prepares the search of the pages. */
export const openSearch = (pages: readonly Page[]): Search => {
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
