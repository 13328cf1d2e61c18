import { Marked } from 'marked'
import type { MakeLink } from './render-markdown.ts'

/** Markdown with each link leading to the address that is made for it; of one without an address its words are left. */
export const linkMarkdown = (markdown: string, makeLink: MakeLink): string => {
  const marked = new Marked()
  const replaced = new Map<string, string>()
  void marked.walkTokens(marked.lexer(markdown), (token) => {
    // An address that is written out is a link, too.
    if (token.type !== 'link' || !token.raw.startsWith('[')) return
    const { raw, text, href } = token as { raw: string; text: string; href: string }
    const address = makeLink(href)
    replaced.set(raw, address === undefined ? text : `[${text}](${address})`)
  })
  return [...replaced].reduce((linked, [raw, other]) => linked.replaceAll(raw, () => other), markdown)
}
