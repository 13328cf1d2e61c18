import type { readTexts } from '../settings/operator-texts.ts'

let texts: ReturnType<typeof readTexts>

/** Makes everything be said in the language of the terminal; whoever reads English loads no texts. */
export const useLanguageOf = async (environment: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const named = ['PAYIN_LANGUAGE', 'LC_ALL', 'LC_MESSAGES', 'LANG'].map((name) => environment[name]?.trim())
  const code = /^[a-z]{2}(?![a-z])/i.exec(named.find(Boolean) ?? '')?.[0].toLowerCase() ?? 'en'
  texts = code === 'en' ? undefined : (await import('../settings/operator-texts.ts')).readTexts(code)
}

/** A text, line by line. */
export const say = (text: string): string => texts?.sayLines(text) ?? text

/** Whether a value may be a name: one word that begins with a capital letter. */
export const isName = (value: unknown): boolean => typeof value !== 'string' || /^\p{Lu}\S*$/u.test(value)

/** A text, but not a name. */
export const sayUnlessName = <Value>(value: Value): Value | string => (isName(value) ? value : say(String(value)))

/** One of these words. */
export const sayWord = (word: string, choices: readonly string[]): string => texts?.sayWord(word, choices) ?? word

/** A text that anybody may have written, but that the service may also have worded. */
export const sayWritten = (text: string): string => texts?.sayWritten(text) ?? text
