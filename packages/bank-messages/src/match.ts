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

/** Finds the gaps of a program that matches a text from `start` to its end, or undefined. */
export type Matcher = (text: NormalText, start: number, preferShort: boolean, work?: Work) => Gap[] | undefined

// Instructions that need no character, as numbers: they are most of the work.
const [needsCharacter, jumps, splits, splitsFirmly, others] = [0, 1, 2, 3, 4]

const stepOf = (instruction: Instruction): number => {
  if (instruction.type === 'jump') return jumps
  if (instruction.type === 'split') return instruction.isFirm ? splitsFirmly : splits
  return instruction.type === 'mark' || instruction.type === 'end' ? others : needsCharacter
}

/**
 * Makes a matcher for a program. Of several ways to match, it finds the one with the longest gaps and all optional parts, or
 * with `preferShort` the opposite one: where they agree, the text has one meaning.
 */
export const createMatcher = (program: Program): Matcher => {
  const steps = Uint8Array.from(program, stepOf)
  const targets = Uint32Array.from(program, (instruction) => ('to' in instruction ? instruction.to : 0))
  /** The turn in which each instruction was opened last: at each position of a text once. */
  const opened = new Uint32Array(program.length)
  let turn = 0
  const nextTurn = (): void => {
    turn = (turn + 1) % 2 ** 32
    if (turn === 0) opened.fill(++turn - 1)
  }

  return (text, start, preferShort, work = { steps: 0 }) => {
    /** Follows an instruction to those that need a character; the ways that come first are preferred. */
    const open = (ways: Way[], at: number, position: number, last: Mark | undefined): void => {
      if (opened[at] === turn) return
      opened[at] = turn
      work.steps += 1
      const step = steps[at]
      const target = targets[at] ?? 0
      if (step === needsCharacter) ways.push({ at, last })
      else if (step === jumps) open(ways, target, position, last)
      else if (step === others) {
        const instruction = program[at]
        if (instruction?.type === 'mark') {
          const { name, isEnd } = instruction
          open(ways, at + 1, position, { name, at: position, isEnd, before: last })
        } else if (instruction?.type === 'end' && ends(instruction.of, text, position))
          open(ways, at + 1, position, last)
      } else {
        const isShort = preferShort && step === splits
        open(ways, isShort ? target : at + 1, position, last)
        open(ways, isShort ? at + 1 : target, position, last)
      }
    }

    const { length } = text.folded
    let ways: Way[] = []
    nextTurn()
    open(ways, 0, start, undefined)
    for (let position = start; position < length && ways.length > 0; position++) {
      const next: Way[] = []
      nextTurn()
      for (const { at, last } of ways) {
        work.steps += 1
        if (takes(program[at], text, start, position)) open(next, at + 1, position + 1, last)
      }
      ways = next
    }
    const found = ways.find(({ at }) => program[at]?.type === 'accept')
    return found === undefined || length === start ? undefined : gapsOf(found.last)
  }
}
