import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { readCurrency } from '../currency.ts'
import { FileFault } from '../file-fault.ts'
import { tidyText } from '../texts.ts'

/** An XML element with its content. */
export type Element = {
  readonly name: string
  readonly currency: string | null
  text: string
  readonly children: Element[]
}

/** Receives the elements of a message in the order in which they end. */
export type ElementSink = {
  document(attributes: Readonly<Record<string, string>>): void
  /** An account, a balance, or an entry without its payments; `line` is where it begins. */
  part(element: Element, line: number): void
  /** One payment of the entry that begins on `line`. */
  payment(element: Element, line: number): void
  statementEnd(line: number): void
}

/** Deepest nesting of elements; real messages have less than twenty levels. */
const maxDepth = 64
/** Longest run of characters without a tag. */
const maxRun = 256 * 1024
/** Most elements in memory at a time: of an entry, those outside its payments, or those of one payment. */
const maxElements = 20_000
/** Most characters of one entry with all its payments: 64 MB of memory at worst. */
const maxCharacters = 32 * 1024 * 1024
/** Longest text of an element that is kept. */
const maxText = 10_000

const cure = 'Download the file again, or ask the bank for a corrected one.'
const tooLarge = 'Ask the bank to divide it into several entries.'

const statements = new Set(['Stmt', 'Ntfctn', 'Rpt'])
const parts = new Set(['Acct', 'Bal', 'Ntry'])
const payment = 'TxDtls'

/** The element at the end of a path of names. */
export const find = (element: Element | undefined, ...path: readonly string[]): Element | undefined =>
  path.reduce<Element | undefined>((at, name) => at?.children.find((child) => child.name === name), element)

/** The text at the end of a path of names. */
export const textOf = (element: Element | undefined, ...path: readonly string[]): string | null =>
  tidyText(find(element, ...path)?.text)

/** The texts of all elements with one of these names. */
export const allTexts = (element: Element | undefined, names: ReadonlySet<string>): string[] =>
  element === undefined
    ? []
    : [
        ...(names.has(element.name) ? [element.text] : []),
        ...element.children.flatMap((child) => allTexts(child, names)),
      ]

/**
 * Reads the XML of a camt message in constant memory: keeps one part of a statement at a time, and one payment of an
 * entry. Refuses document types, the file's own entities, and parts that are too large.
 */
export class ElementReader {
  readonly #sink: ElementSink
  readonly #parser = new SaxesParser({ xmlns: false, position: true })
  /** Names of the open elements. */
  readonly #path: string[] = []
  /** The name of the element that ended last. */
  #closed = ''
  /** The open elements that are kept, from a part inwards. */
  readonly #kept: Element[] = []
  #partLine = 0
  #elements = 0
  #elementsBeforePayment = 0
  #characters = 0
  /** The text position at which the last tag or text ended. */
  #position = 0

  constructor(sink: ElementSink) {
    this.#sink = sink
    this.#parser.on('doctype', () => {
      throw new FileFault(
        this.line,
        'The file declares a document type (DOCTYPE), which no statement has: choose another file, or ask the bank for one without it.',
      )
    })
    this.#parser.on('error', ({ message }) => {
      const [, column, reason] = /^\d+:(\d+):\s*(.*)$/s.exec(message) ?? []
      const at = column === undefined ? '' : ` at column ${column}`
      const why = reason === 'unexpected close tag.' ? `<${this.#closed}> has the end tag of another element` : reason
      throw new FileFault(this.line, `The XML is not well-formed${at}: ${(why ?? message).replace(/\.$/, '')}. ${cure}`)
    })
    limitXml(this.#parser, (reason) => new FileFault(this.line, `${reason} ${cure}`))
    this.#parser.on('opentag', (tag) => this.#open(tag))
    this.#parser.on('text', (text) => {
      this.#position = this.#parser.position
      this.#addText(text)
    })
    this.#parser.on('cdata', (text) => this.#addText(text))
    this.#parser.on('closetag', () => this.#close())
  }

  /** The line that is being read. */
  get line(): number {
    return this.#parser.line
  }

  write(text: string): void {
    this.#parser.write(text)
    if (this.#parser.position - this.#position > maxRun)
      throw new FileFault(
        this.line,
        `A text in the file is far too long, perhaps because its end tag is missing. ${cure}`,
      )
  }

  end(): void {
    this.#parser.close()
  }

  #open({ name: qualifiedName, attributes }: SaxesTagPlain): void {
    this.#position = this.#parser.position
    const name = qualifiedName.slice(qualifiedName.indexOf(':') + 1)
    const isPart = parts.has(name) && statements.has(this.#path.at(-1) ?? '')
    this.#path.push(name)
    if (this.#path.length > maxDepth)
      throw new FileFault(this.line, `Elements are nested deeper than ${maxDepth} levels. ${cure}`)
    if (name === 'Document') this.#sink.document(attributes)
    const parent = this.#kept.at(-1)
    if (!parent && !isPart) return
    if (!parent) this.#partLine = this.line
    if (name === payment) this.#elementsBeforePayment = this.#elements
    const element = { name, currency: readCurrency(attributes['Ccy']), text: '', children: [] }
    parent?.children.push(element)
    this.#kept.push(element)
    this.#count(name.length + (element.currency?.length ?? 0))
    if (++this.#elements > maxElements) {
      const reason = `The entry has more than ${maxElements} elements outside of its payments, or in one of them. ${tooLarge}`
      throw new FileFault(this.#partLine, reason)
    }
  }

  #addText(text: string): void {
    const element = this.#kept.at(-1)
    if (!element || element.text.length >= maxText) return
    element.text += text
    this.#count(text.length)
  }

  #count(characters: number): void {
    this.#characters += characters
    if (this.#characters > maxCharacters)
      throw new FileFault(this.#partLine, `The entry has more text than can be read. ${tooLarge}`)
  }

  #close(): void {
    this.#position = this.#parser.position
    const name = this.#path.pop() ?? ''
    this.#closed = name
    const element = this.#kept.pop()
    if (element?.name === payment) {
      // The entry does not keep its payments.
      this.#kept.at(-1)?.children.pop()
      this.#elements = this.#elementsBeforePayment
      this.#sink.payment(element, this.#partLine)
    }
    if (this.#kept.length > 0) return
    if (element) this.#sink.part(element, this.#partLine)
    else if (statements.has(name)) this.#sink.statementEnd(this.line)
    this.#elements = 0
    this.#characters = 0
  }
}

/** Most attributes of an element; real files have less than thirty. */
const maxAttributes = 200
/** Longest value of an attribute. */
const maxValue = 16_000

/** Limits the attributes of each element that a parser reads; throws the error that `refuse` returns for a reason. */
export const limitXml = (parser: SaxesParser, refuse: (reason: string) => FileFault): void => {
  let attributes = 0
  parser.on('opentagstart', () => {
    attributes = 0
  })
  parser.on('attribute', ({ name, value }) => {
    if (++attributes > maxAttributes) throw refuse(`An element has more than ${maxAttributes} attributes.`)
    if (value.length > maxValue)
      throw refuse(`The attribute ${name.slice(0, 40)} is longer than ${maxValue} characters.`)
  })
}
