// What a template is made of, and the program that a matcher runs for it.

/** A condition on the space before a character. */
export const spacing = {
  any: 0,
  /** No space. */
  glued: 1,
  /** A space. */
  apart: 2,
  /** Between two letters or two digits there is a space. */
  written: 3,
  /** Between two letters or two digits there is none. */
  unwritten: 4,
  /** A number begins here: no digit comes before it without a space, nor a digit and a mark as in 1,000. */
  numberBegins: 5,
  /** Money begins here: it is no group of three digits after others, as in 1 000, and not glued to a word. */
  moneyBegins: 6,
} as const

/** One of `spacing`. */
export type Spacing = (typeof spacing)[keyof typeof spacing]

/** Says whether a character, by its folded code and its kind, belongs to a class. */
export type CharacterClass = (code: number, kind: number) => boolean

/** What does not go on without a space: a word with a letter, digits with a digit, a number with a mark and a digit. */
export type EndOf = 'word' | 'digits' | 'number'

/** A pattern of characters. */
export type Pattern =
  | { readonly type: 'character'; readonly code: number; readonly space: Spacing }
  | { readonly type: 'class'; readonly is: CharacterClass; readonly space: Spacing }
  | { readonly type: 'sequence' | 'choice'; readonly parts: readonly Pattern[] }
  | { readonly type: 'optional' | 'repeat'; readonly part: Pattern }
  /** A pattern that always prefers its longest way. */
  | { readonly type: 'longest'; readonly part: Pattern }
  | { readonly type: 'gap'; readonly name: string; readonly part: Pattern }
  | { readonly type: 'end'; readonly of: EndOf }

/** Several patterns one after another. */
export const sequence = (...parts: readonly Pattern[]): Pattern => ({ type: 'sequence', parts })
/** One of several patterns; the first ones are preferred. */
export const choice = (...parts: readonly Pattern[]): Pattern => ({ type: 'choice', parts })
/** A pattern or nothing. */
export const optional = (part: Pattern): Pattern => ({ type: 'optional', part })
/** A pattern once or more. */
export const repeat = (part: Pattern): Pattern => ({ type: 'repeat', part })
/** A pattern that always prefers its longest way. */
export const longest = (part: Pattern): Pattern => ({ type: 'longest', part })
/** A character of a class. */
export const oneOf = (is: CharacterClass, space: Spacing): Pattern => ({ type: 'class', is, space })
/** The end of a word, of digits or of a number. */
export const endOf = (of: EndOf): Pattern => ({ type: 'end', of })
/** A pattern from one to some times. */
export const upTo = (times: number, part: Pattern): Pattern =>
  times === 1 ? part : sequence(part, optional(upTo(times - 1, part)))

export type Instruction =
  | { readonly type: 'character'; readonly code: number; readonly space: Spacing }
  | { readonly type: 'class'; readonly is: CharacterClass; readonly space: Spacing }
  /** Goes on at the next instruction or at another one; which is preferred depends on the run. */
  | { readonly type: 'split'; to: number; readonly isFirm: boolean }
  | { readonly type: 'jump'; to: number }
  /** The gap begins, or ends. */
  | { readonly type: 'mark'; readonly name: string; readonly isEnd: boolean }
  | { readonly type: 'end'; readonly of: EndOf }
  | { readonly type: 'accept' }

/** The instructions for a pattern: each costs at most one step for a character of a text. */
export type Program = readonly Instruction[]

const emitLoop = (part: Pattern, into: Instruction[], isFirm: boolean): void => {
  const start = into.length
  emit(part, into, isFirm)
  // Again, or on: the jump is preferred unless the run prefers short gaps.
  const leave: Instruction = { type: 'split', to: 0, isFirm }
  into.push(leave, { type: 'jump', to: start })
  leave.to = into.length
}

const emitChoice = (parts: readonly Pattern[], into: Instruction[], isFirm: boolean): void => {
  const jumps: { type: 'jump'; to: number }[] = []
  for (const [index, part] of parts.entries()) {
    const split: Instruction | undefined = index < parts.length - 1 ? { type: 'split', to: 0, isFirm } : undefined
    if (split !== undefined) into.push(split)
    emit(part, into, isFirm)
    const jump = { type: 'jump' as const, to: 0 }
    if (split !== undefined) {
      into.push(jump)
      jumps.push(jump)
      split.to = into.length
    }
  }
  for (const jump of jumps) jump.to = into.length
}

const emit = (pattern: Pattern, into: Instruction[], isFirm: boolean): void => {
  switch (pattern.type) {
    case 'character':
    case 'class':
    case 'end':
      into.push(pattern)
      return
    case 'sequence':
      for (const part of pattern.parts) emit(part, into, isFirm)
      return
    case 'choice':
      emitChoice(pattern.parts, into, isFirm)
      return
    case 'optional': {
      const skip: Instruction = { type: 'split', to: 0, isFirm }
      into.push(skip)
      emit(pattern.part, into, isFirm)
      skip.to = into.length
      return
    }
    case 'longest':
      emit(pattern.part, into, true)
      return
    case 'repeat':
      emitLoop(pattern.part, into, isFirm)
      return
    case 'gap':
      into.push({ type: 'mark', name: pattern.name, isEnd: false })
      emit(pattern.part, into, isFirm)
      into.push({ type: 'mark', name: pattern.name, isEnd: true })
  }
}

/** Compiles a pattern that is to be the whole text. */
export const compilePattern = (pattern: Pattern): Program => {
  const instructions: Instruction[] = []
  emit(pattern, instructions, false)
  instructions.push({ type: 'accept' })
  return instructions
}
