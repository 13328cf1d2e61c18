import { FileFault } from '../file-fault.ts'

/** A field of a message: its tag (`61` of `:61:`), the line where it begins, and its text. */
export type Field = { readonly tag: string; readonly line: number; text: string }
type Line = { readonly text: string; readonly line: number; readonly tag: string; readonly value: string }

const fieldPattern = /^(?:\{4:)?:([0-9A-Z]{2,3}):(.*)$/
// Some banks end the file with ETX.
const endPattern = /^(?: *-\}| *-?\p{Cc}+$|\{\d:)/u
/** Also the end of a message, if it is not in a text. */
const dashPattern = /^ *-[A-Z]{0,3}$/
/** Longest text of a field; SWIFT allows six lines of 65 characters. */
const maxFieldLength = 16_000
/** Most lines between two messages: the end of one, and the beginning of the next. */
const maxEdges = 10

/** Fields with a free text, which banks cut into lines anywhere: one of these lines may look like a field. */
const texts = new Set(['61', '86', 'NS'])
const balance = /^ *[A-Z]{0,2}\d{6}/
/** What the fields between two messages begin with. */
const headers: Readonly<Record<string, RegExp>> = {
  ...{ '13': /^\d{10}/, '13D': /^\d{10}/, '28C': /^\d/, '34F': /^[A-Z]{3}[CD]?\d/, '60F': balance, '60M': balance },
}
/** A date, or a row whose date is broken: it must be reported, not become text. */
const row = /^ ?(?:\d{6}|\d{0,5}R?[CD][A-Z]?\d+,)/
/** What the fields that may follow a text begin with. */
const afterText: Readonly<Record<string, RegExp>> = {
  ...headers,
  ...{ '61': row, '62F': balance, '62M': balance, '64': balance, '65': balance },
  ...{ '90C': /^(?:\d|[A-Z]{3})/, '90D': /^(?:\d|[A-Z]{3})/, NS: /^\d\d/ },
}

/** Whether a value is an account, and not the rest of a time or a text. */
const isAccount = (value: string): boolean => !/^\d\d(?![\w/])/.test(value) && value.replace(/\D/g, '').length > 4

const namesAccount = ({ tag, value }: Line): boolean => /^25P?$/.test(tag) && isAccount(value)

const isDash = ({ text }: Pick<Line, 'text'>): boolean => dashPattern.test(text)

/** Whether a line in a text may begin or end a message: only the lines after it show whether it does. */
const mayBeEdge = (line: Line): boolean => line.tag === '20' || line.tag === '21' || namesAccount(line) || isDash(line)

/** Whether the line after some that may be edges of a message shows that they are. */
const showsMessage = (edges: readonly Line[], { tag, value }: Line): boolean => {
  if (headers[tag]?.test(value)) return true
  return edges.some(namesAccount) && (tag === '28' || edges.some((edge) => edge.tag === '20'))
}

/**
 * Joins the lines of MT940 and MT942 to fields. A text goes on until a field that may follow it, or until the message
 * ends: a line of it such as `:26:37` or `-AB` is text.
 */
export class FieldReader {
  readonly #take: (field: Field) => void
  readonly #endMessage: () => void
  #field: Field | undefined
  /** Lines that are text, or begin or end a message. */
  #edges: Line[] = []

  constructor(take: (field: Field) => void, endMessage: () => void) {
    this.#take = take
    this.#endMessage = endMessage
  }

  takeLine(text: string, number: number): void {
    const [, tag = '', value = text] = fieldPattern.exec(text) ?? []
    const line = { text, line: number, tag, value }
    if (!this.#field || !texts.has(this.#field.tag)) this.#takeField(line)
    else if (mayBeEdge(line)) this.#doubt(line)
    else if (text !== '' || this.#edges.length === 0) this.#takeAfterText(this.#field, line)
  }

  end(): void {
    const last = this.#edges.at(-1)
    if (last && !isDash(last)) this.#decide(true)
    else this.#endText()
    this.#endField()
  }

  #doubt(line: Line): void {
    this.#edges.push(line)
    if (this.#edges.length > maxEdges) this.#decide(false)
  }

  /** Takes the lines in doubt as edges of messages or as text. */
  #decide(areEdges: boolean): void {
    for (const line of this.#edges.splice(0))
      if (areEdges) this.#takeField(line)
      else this.#append(line.text, line.line)
  }

  /** Ends a text where its message ends: of the lines in doubt, only a dash at the end is no text. */
  #endText(): void {
    const last = this.#edges.at(-1)
    const dash = last && isDash(last) ? this.#edges.pop() : undefined
    this.#decide(false)
    if (dash) this.#takeField(dash)
  }

  #takeAfterText(field: Field, line: Line): void {
    const { text, tag, value } = line
    const isEnd = tag === '' && endPattern.test(text)
    const isMessage = this.#edges.length > 0 && showsMessage(this.#edges, line)
    if (isEnd) this.#endText()
    else this.#decide(isMessage)
    const isField = tag === '86' ? field.tag !== '86' : afterText[tag]?.test(value)
    if (isEnd || isMessage || isField) this.#takeField(line)
    // Some banks repeat :86: on each line of a text.
    else this.#append(tag === '86' ? value : text, line.line)
  }

  #takeField({ text, line, tag, value }: Line): void {
    if (tag !== '') {
      this.#endField()
      this.#field = { tag, line, text: '' }
      this.#append(value, line)
    } else if (endPattern.test(text) || isDash({ text })) {
      this.#endField()
      this.#endMessage()
    } else this.#append(text, line)
  }

  #append(text: string, line: number): void {
    const field = this.#field
    if (!field) return
    field.text += line === field.line ? text : `\n${text}`
    if (field.text.length > maxFieldLength)
      throw new FileFault(
        line,
        `The field is longer than ${maxFieldLength} characters. Download the file again, or ask the bank for a corrected one.`,
      )
  }

  #endField(): void {
    const field = this.#field
    this.#field = undefined
    if (field) this.#take(field)
  }
}
