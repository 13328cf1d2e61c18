import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Catalogue, type Texts } from '../rules/values/catalogue.ts'

const root = resolve(import.meta.dirname, '..', '..')
const units = ['d', 'h', 'min', 's']

/** A catalogue that also knows spans such as `1 h 30 min`, and texts that are put together from others. */
class TerminalCatalogue extends Catalogue {
  override sayFilled(text: string): string {
    if (/^[\d.]+ (?:d|h|min|s)(?: [\d.]+ (?:d|h|min|s))*$/.test(text))
      return text.replaceAll(/[a-z]+/g, (unit) => this.sayWord(unit, units))
    return super.sayFilled(text)
  }

  /** A text, or the sentences or words of a list that it is put together from, if all of them are known. */
  sayText(text: string): string {
    const whole = this.sayFilled(text)
    if (whole !== text) return whole
    const parts = text.split(/((?<=\.) |, )/)
    const said = parts.map((part, index) => (index % 2 === 0 ? this.sayFilled(part) : part))
    return said.every((part, index) => index % 2 === 1 || part !== parts[index]) ? said.join('') : text
  }
}

/** The texts of the console and of the command line in a language; undefined if there are none. */
export const readTexts = (code: string): TerminalCatalogue | undefined => {
  const paths = ['console', 'src/cli'].map((folder) => resolve(root, folder, 'languages', `${code}.json`))
  if (!paths.every((path) => existsSync(path))) return undefined
  const texts = paths.map((path) => JSON.parse(readFileSync(path, 'utf8')) as Texts)
  return new TerminalCatalogue(code, Object.assign({}, ...texts) as Texts)
}
