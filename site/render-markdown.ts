import { html } from 'ghtml'
import { Marked, Renderer, type Token, type Tokens } from 'marked'
import { drawStatuses } from './draw-statuses.ts'
import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import http from 'highlight.js/lib/languages/http'
import json from 'highlight.js/lib/languages/json'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'

/** A heading of a page, for its table of contents. */
export type Heading = { readonly depth: number; readonly text: string; readonly anchor: string }

/** A page as HTML. */
export type Rendered = { readonly html: string; readonly headings: readonly Heading[] }

/** The languages of samples from which a reader chooses, in order. */
const sampleLanguages = ['sh', 'ts', 'python', 'php'] as const

/** Markdown as tokens. */
export const readMarkdown = (markdown: string): readonly Token[] => new Marked().lexer(markdown)

/** The words of tokens. */
export const plain = (tokens: readonly Token[]): string =>
  tokens
    .map((token) =>
      'tokens' in token && token.tokens ? plain(token.tokens) : 'text' in token ? String(token.text) : '',
    )
    .join('')

/** The language of a fenced block and the file to save it as, as in `python shop.py`; `run` instead marks a command. */
const infoOf = ({ lang = '' }: Tokens.Code): { readonly language: string; readonly file: string | undefined } => {
  const [language = '', file] = lang.split(' ')
  return { language, file }
}

const showCode = (token: Tokens.Code): string => {
  const { language, file } = infoOf(token)
  if (language === 'mermaid') {
    const diagram = drawStatuses(token.text)
    if (diagram !== undefined) return diagram
  }
  const isCommand = file === 'run'
  const caption = file === undefined || isCommand ? '' : html`<p class="file">${file}</p>`
  return html`<div class="code">!${caption}<pre tabindex="0"><code>!${highlight(token.text, isCommand ? 'console' : language)}</code></pre></div>`
}

const isSample = (token: Token): token is Tokens.Code =>
  token.type === 'code' && sampleLanguages.some((each) => each === infoOf(token as Tokens.Code).language)

/** Consecutive blocks, each in another language, become one block with a switch. */
const showSamples = (blocks: readonly Tokens.Code[], number: number): string => {
  const choices = blocks.map((block, index) => {
    const { language } = infoOf(block)
    const checked = index === 0 ? 'checked' : ''
    return html`<label><input type="radio" name="samples-${String(number)}" value="${language}" !${checked}> ${languageName(language)}</label>`
  })
  const shown = blocks.map((block) => html`<div class="sample ${infoOf(block).language}">!${showCode(block)}</div>`)
  return html`<div class="samples"><fieldset><legend class="unseen">Language</legend>!${choices}</fieldset>!${shown}</div>`
}

const asHtml = (text: string): Tokens.HTML => ({ type: 'html', raw: text, text, block: true, pre: false })

/** Joins each run of samples into one block; a language that occurs again begins the next block. */
const groupSamples = (tokens: readonly Token[]): Token[] => {
  const grouped: Token[] = []
  let run: Tokens.Code[] = []
  let groups = 0
  const end = (): void => {
    if (run.length > 1) grouped.push(asHtml(showSamples(run, ++groups)))
    else grouped.push(...run)
    run = []
  }
  for (const token of tokens) {
    if (token.type === 'space' && run.length > 0) continue
    if (isSample(token)) {
      if (run.some((each) => infoOf(each).language === infoOf(token).language)) end()
      run.push(token)
      continue
    }
    end()
    grouped.push(token)
  }
  end()
  return grouped
}

/** Makes the address of a link; undefined if it leads to nothing that readers of these pages can open. */
export type MakeLink = (href: string) => string | undefined

class PageRenderer extends Renderer {
  readonly headings: Heading[] = []
  readonly #anchorOf = openAnchors()
  readonly #makeLink: MakeLink

  constructor(makeLink: MakeLink) {
    super()
    this.#makeLink = makeLink
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const text = plain(tokens)
    const anchor = this.#anchorOf(text)
    this.headings.push({ depth, text, anchor })
    const words = this.parser.parseInline(tokens)
    if (depth === 1) return `<h1 id="${anchor}">${words}</h1>\n`
    return `<h${depth} id="${anchor}">${words} <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a></h${depth}>\n`
  }

  override code(token: Tokens.Code): string {
    return showCode(token)
  }

  // The item of a checklist is the label of its box.
  override listitem(item: Tokens.ListItem): string {
    const words = this.parser.parse(item.tokens)
    return item.task
      ? `<li class="task"><label><input type="checkbox"><span>${words}</span></label></li>\n`
      : `<li>${words}</li>\n`
  }

  override checkbox(): string {
    return ''
  }

  override link({ href, tokens }: Tokens.Link): string {
    const words = this.parser.parseInline(tokens)
    const address = this.#makeLink(href)
    return address === undefined ? words : html`<a href="${address}">!${words}</a>`
  }

  // Narrow windows show each row as a block of its own, in which each cell says what it is.
  override table({ header, rows }: Tokens.Table): string {
    const names = header.map(({ tokens }) => plain(tokens))
    const titles = header.map(
      ({ tokens }) => html`<th scope="col" role="columnheader">!${this.parser.parseInline(tokens)}</th>`,
    )
    const cells = rows.map((row) => {
      const own = row.map(
        ({ tokens }, column) =>
          html`<td role="cell" data-name="${names[column] ?? ''}">!${this.parser.parseInline(tokens)}</td>`,
      )
      return html`<tr role="row">!${own}</tr>`
    })
    return html`<table role="table"><thead role="rowgroup"><tr role="row">!${titles}</tr></thead><tbody role="rowgroup">!${cells}</tbody></table>`
  }
}

/** A page as HTML, with anchors at its headings and a switch of languages at its samples. */
export const renderMarkdown = (markdown: string, makeLink: MakeLink): Rendered => {
  const renderer = new PageRenderer(makeLink)
  const marked = new Marked().setOptions({ renderer })
  const tokens = groupSamples(marked.lexer(markdown))
  return { html: marked.parser(tokens), headings: renderer.headings }
}

const languages = { bash, http, json, php, python, typescript }
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language)

const names: Readonly<Record<string, string>> = { sh: 'curl', ts: 'TypeScript', python: 'Python', php: 'PHP' }

/** The name of a language of samples, for people. */
const languageName = (language: string): string => names[language] ?? language

/** Code as HTML, highlighted if the language is known. */
const highlight = (code: string, language: string): string =>
  highlighter.getLanguage(language) ? highlighter.highlight(code, { language }).value : html`${code}`

/** The anchor of a heading, as GitHub makes it. */
export const asAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

/** Returns a function that gives each heading of a page its own anchor. */
export const openAnchors = (): ((heading: string) => string) => {
  const used = new Map<string, number>()
  return (heading) => {
    const anchor = asAnchor(heading)
    const count = used.get(anchor) ?? 0
    used.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  }
}

/** Markdown whose links lead to the addresses that `makeLink` returns; one without an address becomes plain words. */
export const linkMarkdown = (markdown: string, makeLink: MakeLink): string => {
  const marked = new Marked()
  const replaced = new Map<string, string>()
  void marked.walkTokens(marked.lexer(markdown), (token) => {
    // Addresses that are written out are link tokens, too; they stay.
    if (token.type !== 'link' || !token.raw.startsWith('[')) return
    const { raw, text, href } = token as { raw: string; text: string; href: string }
    const address = makeLink(href)
    replaced.set(raw, address === undefined ? text : `[${text}](${address})`)
  })
  return [...replaced].reduce((linked, [raw, other]) => linked.replaceAll(raw, () => other), markdown)
}
