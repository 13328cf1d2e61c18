import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import http from 'highlight.js/lib/languages/http'
import json from 'highlight.js/lib/languages/json'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import { html } from 'ghtml'

const languages = { bash, http, json, php, python, typescript }
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language)

const names: Readonly<Record<string, string>> = { sh: 'curl', ts: 'TypeScript', python: 'Python', php: 'PHP' }

/** The name of a language of samples, for people. */
export const languageName = (language: string): string => names[language] ?? language

/** Code as HTML; as it is where the language is not known. */
export const highlight = (code: string, language: string): string =>
  highlighter.getLanguage(language) ? highlighter.highlight(code, { language }).value : html`${code}`
