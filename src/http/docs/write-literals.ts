/** How a language writes the values of JSON. */
type Notation = {
  readonly open: readonly [list: string, object: string]
  readonly close: readonly [list: string, object: string]
  readonly key: (name: string) => string
  readonly text: (text: string) => string
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const notations = {
  ts: {
    open: ['[', '{ '],
    close: [']', ' }'],
    key: (name) => (/^[a-zA-Z_]\w*$/.test(name) ? `${name}: ` : `${quoted(name)}: `),
    text: quoted,
    words: { true: 'true', false: 'false', null: 'null' },
  },
  python: {
    open: ['[', '{'],
    close: [']', '}'],
    key: (name) => `${JSON.stringify(name)}: `,
    text: (text) => JSON.stringify(text),
    words: { true: 'True', false: 'False', null: 'None' },
  },
  php: {
    open: ['[', '['],
    close: [']', ']'],
    key: (name) => `${quoted(name)} => `,
    text: quoted,
    words: { true: 'true', false: 'false', null: 'null' },
  },
} as const satisfies Readonly<Record<string, Notation>>

const widest = 88

const writeIn = (value: unknown, notation: Notation, indent: string, unit: string): string => {
  if (value === null) return notation.words.null
  if (typeof value === 'boolean') return notation.words[String(value) as 'true' | 'false']
  if (typeof value === 'string') return notation.text(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  const kind = Array.isArray(value) ? 0 : 1
  const inner = indent + unit
  const parts = Array.isArray(value)
    ? value.map((each) => writeIn(each, notation, inner, unit))
    : Object.entries(value).map(([name, each]) => notation.key(name) + writeIn(each, notation, inner, unit))
  const [open, close] = [notation.open[kind], notation.close[kind]]
  if (parts.length === 0) return open.trim() + close.trim()
  const line = `${open}${parts.join(', ')}${close}`
  if (line.length + indent.length <= widest && !line.includes('\n')) return line
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${indent}${close.trim()}`
}

/** A value of JSON as a literal of a language, in lines of a readable length. */
export const writeLiteral = (value: unknown, language: keyof typeof notations): string =>
  writeIn(value, notations[language], '', language === 'ts' ? '  ' : '    ')
