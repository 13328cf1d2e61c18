// A small scanner for TypeScript: it separates code from comments, strings, templates and regular expressions, so that
// the house rules only look at code. It keeps every offset, and so every line number.

/** A source text, and a copy in which everything but code is blank. */
export type SourceText = {
  /** The original text. */
  readonly text: string
  /** The text with the inside of comments, strings, templates and regular expressions replaced by spaces. */
  readonly code: string
  /** Each comment, including its marks. */
  readonly comments: readonly { readonly start: number; readonly end: number }[]
  /** The value of each plain string literal by the offset of its opening quote; escapes stay as written. */
  readonly strings: ReadonlyMap<number, string>
}

/** One import, re-export or dynamic import. */
export type Import = { readonly specifier: string; readonly typeOnly: boolean; readonly line: number }

/** One exported name with its kind (`function`, `const`, `type` …) and whether it has a doc comment above it. */
export type Export = {
  readonly name: string
  readonly kind: string
  readonly line: number
  readonly documented: boolean
}

const beforeRegex =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|new|delete|void|throw|await|yield|else|do))$/

/** Splits a source text into code and the rest. */
export function scanSource(text: string): SourceText {
  const code = text.split('')
  const comments: { start: number; end: number }[] = []
  const strings = new Map<number, string>()
  const blank = (from: number, to: number) => {
    for (let at = from; at < to; at++) if (code[at] !== '\n') code[at] = ' '
  }
  // For each open `${`, how many braces are open inside it.
  const templates: number[] = []
  let significant = ''
  let at = 0

  const readTemplate = (from: number) => {
    let end = from
    while (end < text.length && text[end] !== '`' && !(text[end] === '$' && text[end + 1] === '{')) {
      end += text[end] === '\\' ? 2 : 1
    }
    blank(from, end)
    if (text[end] === '$') {
      templates.push(0)
      significant = '{'
      at = end + 2
    } else {
      significant = '`'
      at = end + 1
    }
  }

  if (text.startsWith('#!')) {
    at = lineEnd(text, 0)
    blank(0, at)
  }
  while (at < text.length) {
    const char = text.charAt(at)
    const pair = text.slice(at, at + 2)
    if (pair === '//' || pair === '/*') {
      const close = text.indexOf('*/', at + 2)
      const end = pair === '//' ? lineEnd(text, at) : close === -1 ? text.length : close + 2
      comments.push({ start: at, end })
      blank(at, end)
      at = end
    } else if (char === "'" || char === '"') {
      const end = literalEnd(text, at, char)
      strings.set(at, text.slice(at + 1, end))
      blank(at + 1, end)
      significant = char
      at = end + 1
    } else if (char === '`') {
      readTemplate(at + 1)
    } else if (char === '}' && templates.at(-1) === 0) {
      templates.pop()
      readTemplate(at + 1)
    } else if (char === '/' && beforeRegex.test(significant)) {
      const end = literalEnd(text, at, '/')
      blank(at + 1, end)
      significant = ')'
      at = end + 1
    } else {
      const inner = templates.length - 1
      if (inner >= 0 && char === '{') templates[inner] = (templates[inner] ?? 0) + 1
      if (inner >= 0 && char === '}') templates[inner] = (templates[inner] ?? 0) - 1
      if (/[\w$]/.test(char)) significant = /[\w$]$/.test(text.charAt(at - 1)) ? significant + char : char
      else if (char.trim() !== '') significant = char
      at++
    }
  }
  return { text, code: code.join(''), comments, strings }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function literalEnd(text: string, start: number, quote: string): number {
  let inClass = false
  let at = start + 1
  while (at < text.length && text[at] !== '\n') {
    const char = text[at]
    if (char === '\\') at++
    else if (quote === '/' && char === '[') inClass = true
    else if (quote === '/' && char === ']') inClass = false
    else if (char === quote && !inClass) return at
    at++
  }
  return at
}

/** The line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** Every import and re-export. A dynamic import whose specifier is not a plain string has `(computed)`. */
export function importsOf(source: SourceText): Import[] {
  const found: Import[] = []
  const add = (start: number, quote: number, typeOnly: boolean) => {
    const specifier = source.strings.get(quote) ?? '(computed)'
    found.push({ specifier, typeOnly, line: lineAt(source.text, start) })
  }
  for (const match of source.code.matchAll(/(?<![\w$.])import\s*\(\s*/g)) {
    add(match.index, match.index + match[0].length, false)
  }
  const clause = '(?<clause>(?:[\\w$\\s,*]|\\{[^}]*\\})*?)'
  for (const match of source.code.matchAll(new RegExp(`(?<![\\w$.])import(?![\\w$.(])${clause}(?=['"])`, 'g'))) {
    const typeOnly = /^\s+type\s+(?!from\s*$|,)/.test(match.groups?.['clause'] ?? '')
    add(match.index, match.index + match[0].length, typeOnly)
  }
  const reexport = /(?<![\w$.])export\s*(type\s*)?(?:\*(?:\s*as\s+[\w$]+)?|\{[^}]*\})\s*from\s*(?=['"])/g
  for (const match of source.code.matchAll(reexport)) {
    add(match.index, match.index + match[0].length, match[1] !== undefined)
  }
  return found.toSorted((a, b) => a.line - b.line)
}

const declaration =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(function|const|let|class|type|interface|enum)\b\s*\*?\s*([\w$]+|[{[])/

const functionValue = /^(?:export\s+)?const\s+[\w$]+\s*(?::[^=]*(?:=>[^=]*)*)?=\s*(?:async\b|<|\(|[\w$]+\s*=>)/

const kindOf = (code: string): string | undefined =>
  functionValue.test(code) ? 'function' : declaration.exec(code)?.[1]

/** Every name that a module declares and exports; names from another module are documented there. */
export function exportsOf(source: SourceText): Export[] {
  const found: Export[] = []
  const add = (start: number, kind: string, name: string) => {
    const documented = hasDocComment(source, start)
    // The comment of the first overload suffices.
    if (!documented && found.some((other) => other.name === name && other.documented && kind === 'function')) return
    found.push({ name, kind, line: lineAt(source.text, start), documented })
  }
  for (const match of source.code.matchAll(/^export\b(?!\s*(?:type\s*)?[{*])/gm)) {
    const declared = declaration.exec(source.code.slice(match.index))
    add(match.index, kindOf(source.code.slice(match.index)) ?? 'default', declared?.[2] ?? 'default')
  }
  for (const list of source.code.matchAll(/^export\s*(?:type\s*)?\{([^}]*)\}(?!\s*from\b)/gm)) {
    for (const item of (list[1] ?? '').split(',')) {
      const [local, exported] = item
        .replace(/\btype\s+/, '')
        .trim()
        .split(/\s+as\s+/)
      if (local === undefined || local === '') continue
      const name = exported ?? local
      const own = new RegExp(`^(?:async\\s+)?(function|const|let|class|type|interface)\\s+${local}\\b`, 'm')
      const match = own.exec(source.code)
      add(match?.index ?? list.index, match ? (kindOf(source.code.slice(match.index)) ?? 'list') : 'list', name)
    }
  }
  return found.toSorted((a, b) => a.line - b.line)
}

function hasDocComment(source: SourceText, start: number): boolean {
  const end = source.text.slice(0, start).trimEnd().length
  const comment = source.comments.find((candidate) => candidate.end === end)
  return comment !== undefined && source.text.startsWith('/**', comment.start)
}
