// All texts that the console shows, in English.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { kindWords } from '../../console/src/pages/ledger/account-words.ts'
import { hasTexts, translate } from '../../console/texts.ts'
import { errorCodes } from '../../src/rules/error-codes.ts'
import { type Field, fieldsOf, headingOf } from '../../src/operations/field.ts'
import { isSchema } from '../../src/operations/schema.ts'
import { memberRoles } from '../../src/rules/members/access.ts'
import { verdicts } from '../../src/rules/transfers/evidence.ts'

const root = resolve(import.meta.dirname, '..', '..')

/** The text of a file of the repository. */
export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The files of the repository with such paths. */
export const find = (...patterns: readonly string[]): readonly string[] =>
  globSync([...patterns], { cwd: root }).toSorted()

/** What the build finds in the source. `known`: what catalogues have. */
const writtenTexts = (known: ReadonlySet<string>): readonly string[] =>
  find('console/src/**/*.{ts,tsx}', 'src/rules/**/*.ts')
    .filter((path) => hasTexts.test(`/${path}`))
    .flatMap((path) => translate(path, read(path), known).texts)

/** A word of a list: as it is, or with the list if a language tells apart what is one word in English. */
export type Word = readonly [word: string, choices: readonly string[]]

/** The parameters of lists that a page names as filters. */
const filterNames = (code: string): readonly string[] =>
  [...code.matchAll(/[fF]ilters(?:=\{| = [^[]*?=> )\[([^]*?)\n?\]/g)].flatMap(([, names = '']) =>
    [...names.matchAll(/(?<!: )'(\w+)'/g)].map(([, name = '']) => name),
  )

/**
 * Headings, texts for what is absent, and words of the declared fields of modules; `filters` are said with `Any`. The
 * `unshown` parts of operations are left out.
 */
export const declaredTexts = async (
  paths: Iterable<string>,
  filters: ReadonlySet<string>,
  unshown: readonly string[] = [],
) => {
  const texts = new Set<string>()
  const words: Word[] = []
  const visited = new Set<unknown>()
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
    if (unshown.length > 0 && 'show' in value && 'heading' in value) texts.add(String(value.heading))
    if (
      !('200' in value) &&
      Object.values(value).every((part) => typeof part === 'object' && part !== null && isSchema(part))
    )
      for (const field of fieldsOf(value)) add(field, true)
    const left = 'request' in value ? unshown : []
    for (const [name, part] of Object.entries(value)) if (!left.includes(name)) visit(part)
  }
  for (const path of paths) visit({ ...(await import(join(root, path))) })
  return { texts, words }
}

/** What is declared in the modules that the console imports. */
const declaredForConsole = async () => {
  const code = find('console/src/**/*.{ts,tsx}').map(read)
  const imports = code.flatMap((each) => [
    ...each.matchAll(/import (?!type)[^;']+? from '[./]*\/(src\/operations\/[\w-]+\.ts)'/g),
  ])
  return declaredTexts(new Set(imports.map(([, path = '']) => path)), new Set(code.flatMap(filterNames)))
}

/** Names in the bodies of requests that change something, which the audit records. */
const bodyNames = async (): Promise<readonly string[]> => {
  const visited = new Set<unknown>()
  const namesOf = ({ name, fields = [] }: Field): readonly string[] => [name, ...fields.flatMap(namesOf)]
  const visit = (value: unknown): readonly string[] => {
    if (typeof value !== 'object' || value === null || visited.has(value)) return []
    visited.add(value)
    if ('request' in value) return 'body' in value ? fieldsOf(value.body as object).flatMap(namesOf) : []
    return Object.values(value).flatMap(visit)
  }
  const modules = await Promise.all(find('src/operations/*.ts').map((path) => import(join(root, path))))
  return modules.flatMap((each) => visit({ ...each }))
}

/** What the audit calls the details of its entries. */
const auditTexts = async (): Promise<readonly string[]> => {
  const names: string[] = []
  for (const path of find('src/http/{access,merchant-api,notifications,operator-api}/**/*.ts')) {
    const code = read(path)
    const keep = ({ start, end }: { readonly start: number; readonly end: number }): void => {
      new Visitor({
        Property: ({ key, computed }) => {
          if (!computed && key.type === 'Identifier') names.push(key.name)
        },
      }).visit(parseSync(path, `export const details = (${code.slice(start, end)})`).program)
    }
    new Visitor({
      Property: ({ key, value }) => {
        if (key.type === 'Identifier' && key.name === 'details' && !/Identifier|Pattern/.test(value.type)) keep(value)
      },
    }).visit(parseSync(path, code).program)
  }
  return [...names, ...(await bodyNames())].map(headingOf)
}

/** The words of a type, such as `'a' | 'b'`. */
export const wordsOfType = (path: string, name: string): readonly string[] => {
  const declaration = new RegExp(`type ${name} =([^]*?)\\n\\n`).exec(read(path))?.[1] ?? ''
  return [...declaration.matchAll(/'([^']+)'/g)].map(([, word = '']) => word)
}

/** Words that the service sends and that no schema lists. */
export const sentWords = (): readonly string[] => [
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
const wording: ReadonlySet<string> = new Set([
  ...['Refusal', 'invalidState', 'Pattern', 'NumberText', 'APIError'],
  ...['refuse', 'refuseField', 'refuseDay', 'wrong'],
])

/** Texts in which the service fills gaps: what speaks for a payment, incidents, and why it refuses. */
export const filledTexts = (): readonly string[] => {
  const none: ReadonlySet<string> = new Set()
  const whole = find(
    'src/rules/transfers/{evidence,match,duplicate,refund-file}.ts',
    'packages/bank-files/src/payment-orders/order-faults.ts',
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
  const { texts, words } = await declaredForConsole()
  const accounts = [...Object.keys(kindWords), 'available', 'held']
  return {
    texts: new Set([
      ...writtenTexts(known),
      ...texts,
      ...(await auditTexts()),
      ...sentWords(),
      ...filledTexts(),
      ...libraryTexts,
      ...Object.values(errorCodes).map(({ remedy }) => remedy),
    ]),
    words: [...words, ...accounts.map((word): Word => [word, ['account']])],
  }
}

/** Words that are the same in every language: names of formats, of operations and of rights. */
const isCode = (word: string): boolean =>
  /[:./\d]|^[;,|\s]+$/.test(word) ||
  ['ofx', 'camt', 'csv', 'xlsx', 'smsgate', 'smsforwarder', 'sms-webhook'].includes(word)

/** The texts that a catalogue with these keys lacks, and all keys that these texts may have. */
export const missingFrom = (
  known: ReadonlySet<string>,
  { texts, words }: { readonly texts: ReadonlySet<string>; readonly words: readonly Word[] },
): { readonly missing: readonly string[]; readonly used: ReadonlySet<string> } => {
  const ofList = (word: string, choices: readonly string[]): string => `${choices.join('/')}: ${word}`
  const missing = [
    ...[...texts].filter((text) => !known.has(text)),
    ...words
      .filter(([word, choices]) => !isCode(word) && !known.has(word) && !known.has(ofList(word, choices)))
      .map(([word, choices]) => ofList(word, choices)),
  ]
  const used = new Set([...texts, ...words.flatMap(([word, choices]) => [word, ofList(word, choices)])])
  return { missing: [...new Set(missing)], used }
}

/** The gaps of a text, each once, by their numbers. */
const gapsOf = (text: string): string =>
  [...new Set([...text.matchAll(/\{(\d)/g)].map(([, gap]) => Number(gap)))]
    .toSorted((one, other) => one - other)
    .join(' ')

/** Each text of a catalogue has the gaps of the English one, and spaces at the same ends. */
export const assertSameForm = (catalogue: Readonly<Record<string, string>>): void => {
  const ends = (text: string): string => `${/^\s/.test(text)} ${/\s$/.test(text)}`
  const wrong = Object.entries(catalogue).filter(
    ([text, said]) =>
      said.trim() === '' || gapsOf(text) !== gapsOf(said) || ends(text.replace(/^[\w/-]+: /, '')) !== ends(said),
  )
  assert.deepEqual(wrong, [])
}
