import { FileFault } from './file-fault.ts'

/** Longest line; a longer one is not from a statement, and would fill the memory. */
const maxLineLength = 64 * 1024
const tooLong = `The line is longer than ${maxLineLength} characters, so it is not from a statement: get the file from the bank again.`

/** Splits a text that arrives in pieces into lines, with any line ending, and numbers them from 1. */
export const splitLines = (take: (line: string, number: number) => void) => {
  let rest = ''
  let number = 0
  const cut = (text: string): string => {
    let from = 0
    // It is not known yet what follows a carriage return at the end of a piece.
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r(?!$)/g)) {
      if (index - from > maxLineLength) throw new FileFault(number + 1, tooLong)
      take(text.slice(from, index), ++number)
      from = index + end.length
    }
    return text.slice(from)
  }
  return {
    write: (text: string): void => {
      rest = cut(rest + text)
      if (rest.length > maxLineLength) throw new FileFault(number + 1, tooLong)
    },
    /** Takes the rest as the last line; returns the number of lines. */
    end: (): number => {
      if (rest !== '') take(rest.endsWith('\r') ? rest.slice(0, -1) : rest, ++number)
      rest = ''
      return number
    },
  }
}
