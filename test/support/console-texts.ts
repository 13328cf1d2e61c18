// All texts that the console shows, in English.
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { kindWords } from '../../console/src/pages/ledger/account-words.ts'
import { hasTexts, translate } from '../../console/texts.ts'
import { errorCodes } from '../../src/rules/error-codes.ts'
import { type Field, fieldsOf } from '../../src/operations/field.ts'
import { isSchema } from '../../src/operations/schema.ts'
import { memberRoles } from '../../src/rules/members/access.ts'
import { verdicts } from '../../src/rules/transfers/evidence.ts'

const root = resolve(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const find = (...patterns: readonly string[]): readonly string[] => globSync([...patterns], { cwd: root }).toSorted()

/** What the build finds in the source. `known`: what catalogues have. */
const writtenTexts = (known: ReadonlySet<string>): readonly string[] =>
  find('console/src/**/*.{ts,tsx}', 'src/rules/**/*.ts')
    .filter((path) => hasTexts.test(`/${path}`))
    .flatMap((path) => translate(path, read(path), known).texts)

/** A word of a list: as it is, or with the list if a language tells apart what is one word in English. */
type Word = readonly [word: string, choices: readonly string[]]

/** The parameters of lists that a page names as filters. */
const filterNames = (code: string): readonly string[] =>
  [...code.matchAll(/[fF]ilters(?:=\{| = [^[]*?=> )\[([^]*?)\n?\]/g)].flatMap(([, names = '']) =>
    [...names.matchAll(/(?<!: )'(\w+)'/g)].map(([, name = '']) => name),
  )

/** Headings, texts for what is absent, and words of the declared fields that the console shows. */
const declaredTexts = async () => {
  const texts = new Set<string>()
  const words: Word[] = []
  const visited = new Set<unknown>()
  const filters = new Set(find('console/src/**/*.{ts,tsx}').flatMap((path) => filterNames(read(path))))
  const add = (
    { name, heading, absent, choices = [], columns = [], fields = [] }: Field,
    isParameter = false,
  ): void => {
    for (const text of [heading, absent ?? heading]) texts.add(text)
    if (isParameter && filters.has(name)) texts.add(`Any ${heading.toLowerCase()}`)
    for (const word of choices) words.push([word, choices])
    for (const column of columns) if (typeof column === 'object') texts.add(column.heading)
    for (const field of fields) add(field)
  }
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || visited.has(value)) return
    visited.add(value)
    const parts = isSchema(value) ? fieldsOf({ value }) : []
    for (const { choices = [], fields = [] } of parts) {
      for (const word of choices) words.push([word, choices])
      for (const field of fields) add(field)
    }
    if (isSchema(value)) return
    if (
      !('200' in value) &&
      Object.values(value).every((part) => typeof part === 'object' && part !== null && isSchema(part))
    )
      for (const field of fieldsOf(value)) add(field, true)
    for (const part of Object.values(value)) visit(part)
  }
  const imports = find('console/src/**/*.{ts,tsx}').flatMap((path) => [
    ...read(path).matchAll(/import (?!type)[^;']+? from '[./]*\/(src\/operations\/[\w-]+\.ts)'/g),
  ])
  for (const path of new Set(imports.map(([, imported = '']) => imported)))
    visit({ ...(await import(join(root, path))) })
  return { texts, words }
}

/** The words of a type, such as `'a' | 'b'`. */
const wordsOfType = (path: string, name: string): readonly string[] => {
  const declaration = new RegExp(`type ${name} =([^]*?)\\n\\n`).exec(read(path))?.[1] ?? ''
  return [...declaration.matchAll(/'([^']+)'/g)].map(([, word = '']) => word)
}

/** Words that the service sends and that no schema lists. */
const sentWords = (): readonly string[] => [
  ...memberRoles,
  ...wordsOfType('src/rules/payments/payment.ts', 'StatusReason'),
  ...wordsOfType('src/rules/transfers/match.ts', 'Match'),
  ...verdicts,
  ...wordsOfType('src/rules/requisites/requisite.ts', 'RequisiteRefusal').map((word) => word.replaceAll('-', ' ')),
  ...['active', 'disabled', 'invited', 'token', 'no second factor'],
  ...['events', 'deliveries', 'statements', 'alert messages'],
  ...['web', 'worker', 'statement', 'embedded', 'postgres', 'bank'],
  ...['paid not credited', 'wrong amount', 'other'],
]

/** What the authentication library says to people. */
const libraryTexts = [
  'Authentication failed',
  'Failed to verify registration',
  'Invalid backup code',
  'Invalid code',
  'Invalid email or password',
  'Invalid password',
  'Invalid two factor cookie',
  'Passkey not found',
  'Previously registered',
  'Session expired. Re-authenticate to perform this action.',
  'Too many attempts. Please request a new code.',
]

/** What puts texts of the service into words that people read. */
const wording: ReadonlySet<string> = new Set(['Refusal', 'invalidState', 'Pattern', 'NumberText', 'APIError', 'refuse'])

/** Texts in which the service fills gaps: what speaks for a payment, incidents, and why it refuses. */
const filledTexts = (): readonly string[] => {
  const none: ReadonlySet<string> = new Set()
  const whole = find(
    'src/rules/transfers/{evidence,match,duplicate}.ts',
    'src/rules/notices/alert.ts',
    'src/engine/attention/find*.ts',
    'src/http/errors/errors.ts',
    'src/engine/members/auth/open-auth.ts',
  )
  const refusing = find(
    'src/{engine,operations,rules}/**/*.ts',
    'src/http/{operator-api,access,console,errors,answers}/**/*.ts',
  )
  return [
    ...whole.flatMap((path) =>
      translate(path, read(path), none).texts.filter((text) => !/^(payin |Bearer |application\/|__)/.test(text)),
    ),
    ...refusing.flatMap((path) => {
      const code = read(path)
      const texts: string[] = []
      const readRefusal = ({
        callee,
        arguments: given,
      }: {
        callee: { start: number; end: number }
        arguments: { start: number; end: number }[]
      }) => {
        if (!wording.has(code.slice(callee.start, callee.end).replace(/^Type\./, ''))) return
        // Those of a pattern say in the first one what a text must be.
        for (const { start, end } of /Pattern|NumberText/.test(code.slice(callee.start, callee.end))
          ? given.slice(0, 1)
          : given)
          texts.push(...translate(path, `export const text = (${code.slice(start, end)})`, none).texts)
      }
      new Visitor({ NewExpression: readRefusal, CallExpression: readRefusal }).visit(parseSync(path, code).program)
      return texts
    }),
  ]
}

/** All texts; the words of lists apart. */
export const consoleTexts = async (known: ReadonlySet<string>) => {
  const { texts, words } = await declaredTexts()
  const accounts = [...Object.keys(kindWords), 'available', 'held']
  return {
    texts: new Set([
      ...writtenTexts(known),
      ...texts,
      ...sentWords(),
      ...filledTexts(),
      ...libraryTexts,
      ...Object.values(errorCodes).map(({ remedy }) => remedy),
    ]),
    words: [...words, ...accounts.map((word): Word => [word, ['account']])],
  }
}
