// Runs a program over a text: all ways to match go on side by side, one character at a time, so that no text takes more
// steps than its length times the size of the program.
import { digit, letter, type NormalText } from './normal-text.ts'
import { type EndOf, type Instruction, type Program, type Spacing, spacing } from './pattern.ts'

/** Where a gap of a template is in a text. */
export type Gap = { readonly name: string; readonly from: number; readonly to: number }

/** Counts the steps of matchers. */
export type Work = { steps: number }

type Mark = { readonly name: string; readonly at: number; readonly isEnd: boolean; readonly before: Mark | undefined }
type Way = { readonly at: number; readonly last: Mark | undefined }

const marks = new Set(Array.from('.,:/-', (mark) => mark.charCodeAt(0)))
const isMark = (text: NormalText, at: number): boolean => marks.has(text.folded.charCodeAt(at))

const allows = (space: Spacing, text: NormalText, start: number, at: number): boolean => {
  if (space === spacing.any || at === start) return space !== spacing.apart
  const isSpaced = text.spaced[at] === 1
  if (space === spacing.glued) return !isSpaced
  if (space === spacing.apart) return isSpaced
  const [before, kind] = [text.kinds[at - 1], text.kinds[at]]
  if (space === spacing.numberBegins || space === spacing.moneyBegins) {
    if (before === digit) return isSpaced && (space === spacing.numberBegins || groupLength(text, at) !== 3)
    if (space === spacing.moneyBegins) return isSpaced || (before !== letter && !isMark(text, at - 1))
    return isSpaced || !isMark(text, at - 1) || text.spaced[at - 1] === 1 || text.kinds[at - 2] !== digit
  }
  if (before !== kind || (kind !== letter && kind !== digit)) return true
  return text.raised[at] === 1 || isSpaced === (space === spacing.written)
}

/** How many digits follow each other without a space; four if there are more. */
const groupLength = (text: NormalText, at: number): number => {
  let length = 1
  while (length < 4 && text.kinds[at + length] === digit && text.spaced[at + length] === 0) length += 1
  return length
}

const ends = (of: EndOf, text: NormalText, at: number): boolean => {
  if (text.spaced[at] === 1 || text.raised[at] === 1) return true
  if (of === 'word') return text.kinds[at] !== letter
  if (text.kinds[at] === digit) return false
  return of === 'digits' || !isMark(text, at) || text.spaced[at + 1] === 1 || text.kinds[at + 1] !== digit
}

/** The ways of one program that are open at a position of the text. */
class OpenWays {
  readonly list: Way[] = []
  readonly #seen: Uint32Array
  #turn = 0

  readonly program: Program
  readonly text: NormalText
  readonly preferShort: boolean
  readonly work: Work

  constructor(program: Program, text: NormalText, preferShort: boolean, work: Work) {
    this.program = program
    this.text = text
    this.preferShort = preferShort
    this.work = work
    this.#seen = new Uint32Array(program.length)
  }

  clear(): void {
    this.list.length = 0
    this.#turn += 1
  }

  /** Follows an instruction to those that need a character; the ways that come first are preferred. */
  open(at: number, position: number, last: Mark | undefined): void {
    if (this.#seen[at] === this.#turn) return
    this.#seen[at] = this.#turn
    this.work.steps += 1
    const instruction = this.program[at]
    switch (instruction?.type) {
      case 'jump':
        this.open(instruction.to, position, last)
        return
      case 'split': {
        const [first, second] =
          this.preferShort && !instruction.isFirm ? [instruction.to, at + 1] : [at + 1, instruction.to]
        this.open(first, position, last)
        this.open(second, position, last)
        return
      }
      case 'mark':
        this.open(at + 1, position, { name: instruction.name, at: position, isEnd: instruction.isEnd, before: last })
        return
      case 'end':
        if (ends(instruction.of, this.text, position)) this.open(at + 1, position, last)
        return
      default:
        this.list.push({ at, last })
    }
  }
}

const takes = (instruction: Instruction | undefined, text: NormalText, start: number, position: number): boolean => {
  if (instruction?.type === 'character')
    return instruction.code === text.folded.charCodeAt(position) && allows(instruction.space, text, start, position)
  return (
    instruction?.type === 'class' &&
    instruction.is(text.folded.charCodeAt(position), text.kinds[position] ?? 0) &&
    allows(instruction.space, text, start, position)
  )
}

const gapsOf = (last: Mark | undefined): Gap[] => {
  const gaps: Gap[] = []
  let to = 0
  for (let mark = last; mark !== undefined; mark = mark.before)
    if (mark.isEnd) to = mark.at
    else gaps.push({ name: mark.name, from: mark.at, to })
  return gaps.toReversed()
}

/**
 * The gaps of a program that matches the text from `start` to its end, or undefined. Of several ways to match, it is
 * the one with the longest gaps and all optional parts, or with `preferShort` the opposite one: where they agree, the
 * text has one meaning.
 */
export const matchText = (
  program: Program,
  text: NormalText,
  start: number,
  preferShort: boolean,
  work: Work = { steps: 0 },
): Gap[] | undefined => {
  const { length } = text.folded
  let ways = new OpenWays(program, text, preferShort, work)
  let next = new OpenWays(program, text, preferShort, work)
  ways.clear()
  ways.open(0, start, undefined)
  for (let position = start; position < length && ways.list.length > 0; position++) {
    next.clear()
    for (const { at, last } of ways.list) {
      work.steps += 1
      if (takes(program[at], text, start, position)) next.open(at + 1, position + 1, last)
    }
    ;[ways, next] = [next, ways]
  }
  const found = ways.list.find(({ at }) => program[at]?.type === 'accept')
  return found === undefined || length === start ? undefined : gapsOf(found.last)
}
