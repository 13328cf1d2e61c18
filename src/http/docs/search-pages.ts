import { html } from 'ghtml'

/** A section of a page, as `site/build-site.ts` writes it for the search. */
export type Section = {
  readonly address: string
  /** The title of its page. */
  readonly title: string
  readonly heading: string
  readonly text: string
}

/** A section that a search has found. */
export type FoundSection = Omit<Section, 'text'> & {
  /** Its text around the first match: before it, the match, and after it. */
  readonly excerpt: readonly string[]
}

const mostFound = 20
const longestQuery = 100
const around = 70

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

/** The sections that have all words of a query, the best first. */
export const searchSections = (sections: readonly Section[], query: string): readonly FoundSection[] => {
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

const showFound = ({ address, title, heading, excerpt }: FoundSection): string => {
  const words = excerpt.map((part, index) => (index === 1 ? html`<mark>${part}</mark>` : html`${part}`))
  return html`<li><a href="${address}">${heading === title ? title : `${title}: ${heading}`}</a><p>!${words}</p></li>`
}

const nothing = html`<p>Nothing has all of these words. Try fewer, or the name of a field, status or error code.</p>`

/** The page with what a search has found, made of the one that has gaps for it. */
export const showSearch = (page: string, query: string, found: readonly FoundSection[]): string => {
  const list = html`<ol class="found">!${found.map(showFound)}</ol>`
  const parts: Readonly<Record<string, string>> = {
    query: html`${query}`,
    heading: html`${query === '' ? 'Search' : `Search: ${query}`}`,
    found: found.length > 0 ? list : query === '' ? '' : nothing,
  }
  return page.replace(/\{(query|heading|found)\}/g, (_, gap: string) => parts[gap] ?? '')
}
