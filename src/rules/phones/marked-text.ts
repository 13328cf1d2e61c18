/** What can be marked in a bank's message: its fields, and a text that differs from message to message. */
export const markedFields = [
  ...(['amount', 'balance', 'fee', 'account', 'senderName', 'senderBank', 'senderPhone', 'at', 'comment'] as const),
  'text',
] as const
export type MarkedField = (typeof markedFields)[number]

/** A part of a text, from one character to before another. */
export type TextMark = { readonly field: MarkedField; readonly from: number; readonly to: number }

export type MarkedText = { readonly text: string; readonly marks: readonly TextMark[] }

const isField = (name: string): name is MarkedField => (markedFields as readonly string[]).includes(name)

const escaped = (text: string): string => text.replaceAll(/[\\{}]/g, String.raw`\$&`)

/** A text with its marks written in it: `Пришло {amount:500р} от {senderName:Глеб Н.}`. */
export const writeMarkedText = ({ text, marks }: MarkedText): string => {
  let [written, at] = ['', 0]
  for (const { field, from, to } of marks.toSorted((a, b) => a.from - b.from)) {
    written += `${escaped(text.slice(at, from))}{${field}:${escaped(text.slice(from, to))}}`
    at = to
  }
  return written + escaped(text.slice(at))
}

/** Reads a text with its marks: `{field:…}` marks what is in it, and `\` makes the next character plain. */
export const readMarkedText = (written: string): MarkedText | { readonly fault: string } => {
  const marks: TextMark[] = []
  let text = ''
  let open: { readonly field: MarkedField; readonly from: number } | undefined
  for (let at = 0; at < written.length; at++) {
    const character = written.charAt(at)
    if (character === '{') {
      const name = written.slice(at + 1, written.indexOf(':', at))
      if (open !== undefined) return { fault: `The mark of ${open.field} is not closed before the next one` }
      if (!isField(name)) return { fault: `After { comes one of ${markedFields.join(', ')}, and a colon` }
      open = { field: name, from: text.length }
      at += name.length + 1
    } else if (character === '}') {
      if (open === undefined) return { fault: 'There is a } that closes no mark' }
      if (open.from === text.length) return { fault: `The mark of ${open.field} is empty` }
      marks.push({ ...open, to: text.length })
      open = undefined
    } else {
      if (character === '\\') at += 1
      text += written.charAt(at)
    }
  }
  return open === undefined ? { text, marks } : { fault: `The mark of ${open.field} is not closed` }
}
