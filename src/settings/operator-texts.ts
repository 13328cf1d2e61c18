import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Catalogue, type Texts } from '../rules/values/catalogue.ts'

const root = resolve(import.meta.dirname, '..', '..')
const units = ['d', 'h', 'min', 's']

/** A catalogue that also knows spans such as `1 h 30 min`, and texts that are put together from others. */
class OperatorTexts extends Catalogue {
  override sayFilled(text: string): string {
    if (/^[\d.]+ (?:d|h|min|s)(?: [\d.]+ (?:d|h|min|s))*$/.test(text))
      return text.replaceAll(/[a-z]+/g, (unit) => this.sayWord(unit, units))
    return super.sayFilled(text)
  }

  /** A text: as a whole, or the sentences or words of a list that it is put together from, if all of them are known. */
  sayText(text: string): string {
    const begun = this.sayWritten(text)
    if (begun !== text) return begun
    const listed = text.match(/(?:\([^()]*\)|[^,(])+/g) ?? []
    const together = this.#sayEach(text.split(/(?<=\.) /), ' ') ?? this.#sayEach(listed, ',')
    return together ?? this.sayFilled(text)
  }

  /** A text, line by line. */
  sayLines(text: string): string {
    return text.replaceAll(/\S.*/g, (line) => this.sayText(line))
  }

  #sayEach(parts: readonly string[], between: string): string | undefined {
    if (parts.length < 2) return undefined
    const said = parts.map((part) => part.replace(/\S.*/, (words) => this.sayFilled(words)))
    const areKnown = said.every((part, index) => part !== parts[index] || /^\d+\.$/.test(part))
    return areKnown ? said.join(between) : undefined
  }
}

const read = new Map<string, OperatorTexts | undefined>()

const readFiles = (code: string): OperatorTexts | undefined => {
  const paths = ['console', 'src/cli'].map((folder) => resolve(root, folder, 'languages', `${code}.json`))
  if (!paths.every((path) => existsSync(path))) return undefined
  const texts = paths.map((path) => JSON.parse(readFileSync(path, 'utf8')) as Texts)
  return new OperatorTexts(code, Object.assign({}, ...texts) as Texts)
}

/** The texts of the console and of the command line in a language, read once; undefined if there are none. */
export const readTexts = (code: string): OperatorTexts | undefined => {
  if (!read.has(code)) read.set(code, /^[a-z]{2}$/.test(code) ? readFiles(code) : undefined)
  return read.get(code)
}
