import type { Dictionary } from './dictionary.ts'
import { english } from './dictionary-en.ts'
import { russian } from './dictionary-ru.ts'

/** The languages of the page; to add one, add its dictionary here. */
export const dictionaries = { ru: russian, en: english } as const satisfies Record<string, Dictionary>

/** Code of a language that the page has. */
export type Locale = keyof typeof dictionaries

/** All languages of the page, the default one first. */
export const locales = Object.keys(dictionaries) as Locale[]
