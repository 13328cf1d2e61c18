import { basename } from 'node:path'
import { type ESTree, parseSync } from 'vite'

type Node = ESTree.Node

/** Code that replaces a part of a module. */
type Edit = { readonly start: number; readonly end: number; readonly code: string }

/** Attributes, properties and variables whose values nobody reads. */
const technicalNames = new Set(
  (
    'accept align autoComplete className color component d fill fontFamily fontFamilyMonospace height href id ' +
    'inputMode justify keys pattern path position queryKey rel shadow src target to transform type variant viewBox width'
  ).split(' '),
)

/** Attributes that hold text for people, whatever it looks like. */
const readNames = new Set(['aria-label', 'label'])

/** Calls whose texts nobody reads. */
const technicalCalls =
  /^(api\..*|document\..*|location\..*|RegExp|fetch|page|getRouteApi|lazyRouteComponent|.*\.(startsWith|endsWith|includes|replace|split|closest|append))$/

/** Elements that show what is typed as it is. */
const literalElements = new Set(['code', 'pre', 'kbd', 'Kbd'])

const typeScript = /^TS(?!(As|Satisfies|NonNull)Expression$)/

/** Whether people read a text: it starts with a capital letter, or has several words. Names, paths and classes do not. */
const isText = (text: string): boolean =>
  /^[^\p{L}/]*[A-Z]-?[a-z]/u.test(text) ||
  (/[a-z]{2}.*\s|\s.*[A-Za-z]{2}/s.test(text) && !/^([/<]|[a-z-]+\()/.test(text))

/** A text between tags, without the line breaks and indentation that are not part of it. */
const trimLines = (text: string): string =>
  text
    .split('\n')
    .map((line, index, { length }) => {
      const left = index === 0 ? line : line.replace(/^[ \t]+/, '')
      return index === length - 1 ? left : left.replace(/[ \t]+$/, '')
    })
    .filter((line) => line !== '')
    .join(' ')

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string'

const childrenOf = (node: Node): readonly Node[] => Object.values(node).flat().filter(isNode)

/** The name of an attribute, property, variable or element; empty if it is no plain name. */
const nameOf = (node: Node | null | undefined): string =>
  node && 'name' in node && typeof node.name === 'string' ? node.name : ''

/** A part of what is between tags: a text, or an expression or element. */
type Part = { readonly child: Node; readonly text?: string; readonly hole?: Node }

const partOf = (child: ESTree.JSXChild): Part => {
  if (child.type === 'JSXText') return { child, text: trimLines(child.value) }
  if (child.type !== 'JSXExpressionContainer') return { child, hole: child }
  const { expression } = child
  if (expression.type === 'Literal' && typeof expression.value === 'string') return { child, text: expression.value }
  return expression.type === 'JSXEmptyExpression' ? { child, text: '' } : { child, hole: expression }
}

const isPlain = ({ type }: Node): boolean => type !== 'Literal' && type !== 'TemplateLiteral'

/** The words that an argument of `say` may be. */
const wordsIn = (node: Node): readonly string[] => {
  if (node.type === 'Literal') return typeof node.value === 'string' && node.value !== '' ? [node.value] : []
  if (node.type === 'ConditionalExpression') return [node.consequent, node.alternate].flatMap(wordsIn)
  return node.type === 'LogicalExpression' ? wordsIn(node.right) : []
}

/** Whether a part is an element that no space joins with the text next to it. */
const isApart = ({ hole }: Part, next: Part | undefined, space: RegExp): boolean =>
  hole?.type === 'JSXElement' && next?.text !== undefined && !space.test(next.text)

/** A module in which texts are found and replaced. */
class Module {
  readonly texts: string[] = []
  readonly #code: string
  readonly #place: string
  readonly #isOwn: (text: string) => boolean

  constructor(path: string, code: string, known: ReadonlySet<string>) {
    this.#code = code
    this.#place = basename(path).replace(/\.tsx?$/, '')
    this.#isOwn = (text) => known.has(`${this.#place}: ${text}`)
  }

  /** The code of a node with its texts replaced. `isShown`: whether its value is between tags, where every word is read. */
  rewrite(node: Node, isShown = false, start = node.start, end = node.end): string {
    let [code, from] = ['', start]
    for (const edit of this.#editsOf(node, isShown)) {
      code += this.#code.slice(from, edit.start) + edit.code
      from = edit.end
    }
    return code + this.#code.slice(from, end)
  }

  #say(text: string, holes: readonly string[] = []): string {
    const isOwn = this.#isOwn(text)
    this.texts.push(isOwn ? `${this.#place}: ${text}` : text)
    const said = [...(isOwn ? [this.#place, text] : [text]).map((each) => JSON.stringify(each)), ...holes]
    return `${isOwn ? '$sayIn' : '$say'}(${said.join(', ')})`
  }

  #within(nodes: readonly (Node | null)[], areShown = false): readonly Edit[] {
    return nodes.filter(isNode).flatMap((each) => this.#editsOf(each, areShown))
  }

  #editsOf(node: Node, isShown = false): readonly Edit[] {
    if (typeScript.test(node.type)) return []
    switch (node.type) {
      case 'ImportDeclaration':
      case 'TaggedTemplateExpression':
        return []
      case 'Literal':
        return this.#inLiteral(node, isShown)
      case 'TemplateLiteral':
        return this.#inTemplate(node)
      case 'JSXElement':
      case 'JSXFragment':
        return this.#inElement(node)
      case 'JSXAttribute': {
        if (technicalNames.has(nameOf(node.name))) return []
        const edits = this.#within([node.value], readNames.has(nameOf(node.name)))
        return node.value?.type === 'Literal' ? edits.map((edit) => ({ ...edit, code: `{${edit.code}}` })) : edits
      }
      case 'Property':
        return technicalNames.has(nameOf(node.key)) ? [] : this.#within([node.value])
      case 'VariableDeclarator':
        return technicalNames.has(nameOf(node.id)) ? [] : this.#within([node.id, node.init])
      case 'BinaryExpression':
        return this.#within([node.left, node.right].filter(isPlain))
      case 'MemberExpression':
        return this.#within([node.object])
      case 'SwitchCase':
        return this.#within(node.consequent)
      case 'CallExpression':
      case 'NewExpression': {
        const { callee } = node
        const called = this.#code.slice(callee.start, callee.end)
        if (called === 'say') this.texts.push(...node.arguments.flatMap(wordsIn))
        const isTechnical = called === 'say' || technicalCalls.test(called)
        return this.#within([callee, ...node.arguments.filter((each) => !isTechnical || isPlain(each))])
      }
      case 'ConditionalExpression':
        return [...this.#within([node.test]), ...this.#within([node.consequent, node.alternate], isShown)]
      case 'LogicalExpression':
        return [...this.#within([node.left]), ...this.#within([node.right], isShown)]
      case 'JSXExpressionContainer':
      case 'ParenthesizedExpression':
        return this.#within([node.expression], isShown)
      default:
        return this.#within(childrenOf(node))
    }
  }

  #inLiteral({ value, start, end }: Extract<Node, { type: 'Literal' }>, isShown: boolean): readonly Edit[] {
    if (typeof value !== 'string') return []
    return isText(value) || (isShown && /[a-z]{2}/i.test(value)) ? [{ start, end, code: this.#say(value) }] : []
  }

  #inTemplate({ quasis, expressions, start, end }: ESTree.TemplateLiteral): readonly Edit[] {
    const pieces = quasis.map(({ value }) => value.cooked ?? value.raw)
    const text = pieces.map((piece, index) => (index === 0 ? piece : `{${index - 1}}${piece}`)).join('')
    if (!isText(pieces.join('')) || text.startsWith('/')) return this.#within(expressions)
    return [
      {
        start,
        end,
        code: this.#say(
          text,
          expressions.map((each) => this.rewrite(each)),
        ),
      },
    ]
  }

  /** An element; what is between its tags is one text with holes, or only has texts in it. */
  #inElement(node: ESTree.JSXElement | ESTree.JSXFragment): readonly Edit[] {
    const tag = node.type === 'JSXElement' ? node.openingElement : undefined
    const opening = this.#within([...(tag?.attributes ?? [])])
    if (literalElements.has(nameOf(tag?.name))) return opening
    const parts = node.children.map(partOf).filter(({ text }) => text !== '')
    const between = (some: readonly Part[]) =>
      this.#within(
        some.map(({ child }) => child),
        true,
      )
    if (!parts.some(({ text = '' }) => /[a-z]{2}/i.test(text))) return [...opening, ...between(parts)]
    let [first, last] = [0, parts.length]
    while (isApart(parts[first] as Part, parts[first + 1], /^\s/)) first++
    while (isApart(parts[last - 1] as Part, parts[last - 2], /\s$/)) last--
    const read = parts.slice(first, last)
    let count = 0
    const text = read.map((part) => part.text ?? `{${count++}}`).join('')
    const holes = read.flatMap(({ hole }) => (hole === undefined ? [] : [this.rewrite(hole, true)]))
    const [start, end] = [read[0]?.child.start ?? 0, read.at(-1)?.child.end ?? 0]
    const said = { start, end, code: `{${this.#say(text, holes)}}` }
    return [...opening, ...between(parts.slice(0, first)), said, ...between(parts.slice(last))]
  }
}

const shared = 'money/destination|statements/csv-table|transfers/evidence-words|values/payment-method'

/** The modules whose texts are found; in those left out, nothing is read by people. */
export const hasTexts = new RegExp(
  `/console/src/(?!(language|catalogue|app|live|main|routes|table/fit-columns|shell/use-keys|parts/icon)\\.).*\\.tsx?$|/src/rules/(${shared})\\.ts$`,
)

/**
 * The texts of a module that people read, with numbered gaps: `Paid by {0} at {1}`; and its code, in which `$say` says
 * them in the language of whoever reads them. `known`: what catalogues have, some only for this module.
 */
export const translate = (
  path: string,
  code: string,
  known: ReadonlySet<string>,
): { readonly texts: readonly string[]; readonly code: string } => {
  const module = new Module(path, code, known)
  const { program } = parseSync(path, code)
  return { code: module.rewrite(program, false, 0, code.length), texts: module.texts }
}
