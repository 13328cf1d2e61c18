// All texts that the command line says to people, in English.
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import { type ESTree, parseSync, Visitor } from 'vite'
import { messageKinds } from 'bank-messages'
import { translate } from '../../console/texts.ts'
import { invariants } from '../../src/engine/invariants/check-invariants.ts'
import { createProgram, loadGroups } from '../../src/cli/run.ts'
import { errorCodes } from '../../src/rules/error-codes.ts'
import { criteria } from '../../src/rules/transfers/evidence.ts'
import { waitingKinds } from '../../src/rules/notices/waiting.ts'
import { declaredTexts, filledTexts, find, read, sentWords, type Word, wordsOfType } from './console-texts.ts'

type Expression = ESTree.Expression
type Place = { readonly start: number; readonly end: number }

const none: ReadonlySet<string> = new Set()

/** The program as it is started without a language. */
const openProgram = async (): Promise<Command> => {
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() })
  const neverOpened = (): never => {
    throw new Error('nothing runs')
  }
  const surroundings = {
    ...{ environment: {}, folder: tmpdir(), installation: tmpdir(), input: Readable.from([]) },
    ...{ output: nowhere, errors: nowhere, columns: undefined, isBold: false, showsProgress: false },
    ...{ clock: Date.now, newId: randomUUID, ended: () => AbortSignal.abort() },
  }
  return createProgram(await loadGroups([]), surroundings, neverOpened, () => undefined)
}

const helpOf = (command: Command): readonly string[] => [
  command.description(),
  ...[...command.options, ...command.registeredArguments].map(({ description }) => description),
  ...command.commands.flatMap(helpOf),
]

/** Calls with texts that the help has as a whole: inputs, and schemas. */
const helpCalls =
  /(^|\.)(argument|option|required|optionOr|choice|flag|of[A-Z]\w+|timeOrAgo|description|version|exampleLines|wordsOf|addArgument|Type\.\w+)$/

/** Properties that do. */
const helpNames = /^(summary|description|examples|about|text|request)$/
const declaredNames = /^(summary|description|examples|about|request|query|body|answer)$/

/** What the help has, or nobody reads: `code` without it. */
const withoutHelp = (path: string, code: string): string => {
  const left: Place[] = []
  new Visitor({
    CallExpression: ({ callee, arguments: given }) => {
      const called = code.slice(callee.start, callee.end)
      if (helpCalls.test(called)) left.push(...given.filter(({ type }) => type.endsWith('Literal')))
    },
    Property: ({ key, value }) => {
      const isInHelp = (path.startsWith('src/cli/') ? helpNames : declaredNames).test(code.slice(key.start, key.end))
      if (isInHelp && !/Identifier|Pattern/.test(value.type)) left.push(value)
    },
  }).visit(parseSync(path, code).program)
  const isInner = ({ start, end }: Place): boolean =>
    left.some((each) => (each.start < start && end <= each.end) || (each.start <= start && end < each.end))
  return left
    .filter((each) => !isInner(each))
    .reduce((rest, { start, end }) => rest.slice(0, start) + '0'.padEnd(end - start) + rest.slice(end), code)
}

/** The parts of the declarations that make texts: functions, and what commands say. */
const sayingParts = (path: string, code: string): readonly string[] => {
  const parts: string[] = []
  const keep = ({ start, end }: Place): void => {
    parts.push(`export const text = (${code.slice(start, end)})`)
  }
  new Visitor({
    ArrowFunctionExpression: (made) => {
      keep(made)
    },
    Property: ({ key, value }) => {
      if (/^(says|note|empty|show|heading)$/.test(code.slice(key.start, key.end))) keep(value)
    },
  }).visit(parseSync(path, code).program)
  return parts
}

/** Single words that a function may return, which look like names. */
const shownWords = (path: string, code: string): readonly string[] => {
  const words: string[] = []
  const keep = (...values: readonly (Expression | null)[]): void => {
    for (const each of values)
      if (each?.type === 'Literal' && /^[a-z][a-z -]+$/.test(String(each.value))) words.push(String(each.value))
  }
  new Visitor({
    ArrowFunctionExpression: ({ body }) => keep(body as Expression),
    AssignmentPattern: ({ right }) => keep(right),
    ConditionalExpression: ({ consequent, alternate }) => keep(consequent, alternate),
    LogicalExpression: ({ right }) => keep(right),
    ReturnStatement: ({ argument }) => keep(argument),
  }).visit(parseSync(path, code).program)
  return words
}

/** What examples of nouns explain: `payin alerts      (what is open)`. */
const examplesOf = (path: string): readonly string[] =>
  [...read(path).matchAll(/'(?:payin|source) .* {3}(\(.*\))'/g)].map(([, about = '']) => about)

/** What `wordsOf` calls one of its words in a refusal. */
const calledWords = (path: string): readonly string[] =>
  [...read(path).matchAll(/wordsOf\(\w+, '(\w+)'\)/g)].map(([, called = '']) => called)

/** Texts line by line, as they are said, each with its gaps counted from 0. */
const inLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trimStart())
    .map((line) => {
      const gaps = [...new Set(line.match(/\{\d\}/g))]
      return line.replaceAll(/\{\d\}/g, (gap) => `{${gaps.indexOf(gap)}}`)
    })
    .filter((line) => /[a-z]{2}/i.test(line.replaceAll(/\{\d\}/g, '')))

/** What is typed, sent or part of a help text. */
const unsaid =
  /^(payin .*[^.]$|[A-Z]+ \/|Bearer |--file |\{0\} of the \{1\}$|CSV, whose |\{0\}(Id|Name)$)|`(nextCursor|null)`|^(en|listening|null|text)$/

/** What the service sends and no schema lists: among others what it checks, and the results of decisions. */
const sentTexts = [
  ...['(set)', '(not set)', 'assigned', 'unassigned', 'overpayment {0}'],
  ...messageKinds,
  ...criteria,
  ...['proves', 'supports'].map((verdict) => `{0} ${verdict}`),
  '{0} contradicts ({1})',
  ...invariants.map(({ meaning }) => meaning),
  ...[...read('src/engine/invariants/check-invariants.ts').matchAll(/meaning: '([^']+)'/g)].map(
    ([, each = '']) => each,
  ),
  ...wordsOfType('src/engine/disputes/disputes.ts', 'DisputeEvent'),
  ...[...read('src/rules/notices/endpoint.ts').matchAll(/instead: ' ([^']+)'/g)].map(([, instead = '']) => instead),
]

/** What alerts say around the summaries of incidents. */
const alertTexts = (): readonly string[] => {
  const path = 'src/rules/notices/alert-message.ts'
  const said = [...read(path).matchAll(/\bsay\(([`'][^`']+[`'])\)/g)].map(([, text = '']) => `print(${text})`)
  const begun = [...read(path).matchAll(/: '([A-Z]+:)'/g)].map(([, text = '']) => text)
  return [...translate(path, said.join('\n'), none).texts, ...begun]
}

/** A text in code with its gaps; of a choice, each text. */
const textsOf = (made: Expression): readonly string[] => {
  if (made.type === 'Literal') return [String(made.value)]
  if (made.type === 'TemplateLiteral')
    return [made.quasis.map(({ value }, index) => `${index === 0 ? '' : `{${index - 1}}`}${value.cooked}`).join('')]
  return made.type === 'ConditionalExpression' ? [made.consequent, made.alternate].flatMap(textsOf) : []
}

/** What is wrong with settings, and what to write instead. */
const settingTexts = (): readonly string[] =>
  find('src/{settings,secrets}/*.ts', 'src/main.ts').flatMap((path) => {
    const code = read(path)
    const texts: string[] = []
    const keep = (made: ESTree.Node | null): void => {
      texts.push(...textsOf(made as Expression))
    }
    new Visitor({
      Property: ({ key, value }) => {
        if (/^(problem|error|fix)$/.test(code.slice(key.start, key.end))) keep(value)
      },
      CallExpression: ({ callee, arguments: given }) => {
        if (/(\.push|^say)$/.test(code.slice(callee.start, callee.end))) for (const each of given) keep(each)
      },
      ArrowFunctionExpression: ({ body }) => {
        const [last] = body.type === 'BlockStatement' ? body.body.slice(-1) : []
        if (path.endsWith('/config.ts')) keep(last?.type === 'ReturnStatement' ? last.argument : body)
      },
    }).visit(parseSync(path, code).program)
    return texts.filter((text) => /^(?!#).*[a-z]{3,} |^found$/.test(text.replaceAll(/\{\d\}/g, '')))
  })

/** What commander says. */
const commanderTexts = [
  ...['Usage:', 'Arguments:', 'Options:', 'Global Options:', 'Commands:'],
  ...['options', 'command', 'choices', 'default', 'required', 'display help for command'],
  "error: unknown option '{0}'",
  "error: unknown command '{0}'",
  "error: missing required argument '{0}'",
  "error: required option '{0}' not specified",
  "error: option '{0}' argument missing",
  "error: option '{0}' argument '{1}' is invalid. {2}",
  "error: command-argument value '{0}' is invalid for argument '{1}'. {2}",
  "error: too many arguments for '{0}'. Expected {1} arguments but got {2}.",
  "error: too many arguments for '{0}'. Expected {1} argument but got {2}.",
  'error: too many arguments. Expected {0} arguments but got {1}.',
  'error: too many arguments. Expected {0} argument but got {1}.',
  'Allowed choices are {0}.',
  '(Did you mean {0}?)',
  '(Did you mean one of {0}?)',
]

/** All texts; the words of lists apart. */
export const cliTexts = async () => {
  const declarations = find('src/operations/!(field|operation|path|schema).ts')
  const { texts, words } = await declaredTexts(declarations, none, ['params', 'headers', 'query', 'body'])
  const code = find('src/cli/!(completion|copy-database|field-inputs|field-kinds|named-inputs|require-node).ts').map(
    (path) => [path, withoutHelp(path, read(path))] as const,
  )
  const saying = [...declarations, 'src/rules/transfers/evidence-words.ts'].flatMap((path) =>
    sayingParts(path, withoutHelp(path, read(path))).map((part) => [path, part] as const),
  )
  const written = [...code, ...saying]
    .flatMap(([path, part]) => [part, part.replaceAll(/\bsay\(/g, 'print(')].map((each) => [path, each] as const))
    .flatMap(([path, part]) => [...translate(path, part, none).texts, ...shownWords(path, part)])
    .filter((text) => !unsaid.test(text))
  return {
    texts: new Set([
      ...[
        ...written,
        ...helpOf(await openProgram()),
        ...filledTexts(),
        ...alertTexts(),
        ...settingTexts(),
        ...find('src/{cli,operations}/*.ts').flatMap(examplesOf),
      ].flatMap(inLines),
      ...texts,
      ...sentWords(),
      ...commanderTexts,
      ...sentTexts,
      ...find('src/cli/*.ts').flatMap(calledWords),
      ...Object.values(errorCodes).flatMap(({ title, cli, remedy }) => [`${title}.`, cli ?? remedy]),
      ...Object.values(waitingKinds).map(({ words: kind }) => `${kind}: {0}`),
    ]),
    words: [...words, ...['d', 'h', 'min', 's'].map((unit): Word => [unit, ['d', 'h', 'min', 's']])],
  }
}
