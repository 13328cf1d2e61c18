import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Argument, type Command, Option } from 'commander'
import { isId } from '../rules/values/id-text.ts'
import { Failure } from './failure.ts'
import { nothing, units } from './read-arguments.ts'
import type { Session } from './session.ts'

export type Values = Readonly<Record<string, unknown>>

/** An argument or option of a command. */
export type Input<T> = {
  /** Adds it to a command; returns what reads the value that was typed, after those of the inputs before it. */
  readonly declare: (command: Command) => (session: Session, before: Values) => T | Promise<T>
  /** How the input is typed, such as `--bank` or `<currency>`; refusals name it this way. */
  readonly flag?: string
}

export type Inputs = Readonly<Record<string, Input<unknown>>>

export type Given<I extends Inputs> = { readonly [Name in keyof I]: I[Name] extends Input<infer T> ? T : never }

/** Turns a typed word into a value. `before` is the value so far of an option that may be repeated. */
type Parse<T> = (typed: string, before: T | undefined) => T

const optionInput = <T>(added: Option): Input<T> => ({
  flag: added.long ?? added.flags,
  declare: (command) => {
    command.addOption(added)
    return () => command.getOptionValue(added.attributeName()) as T
  },
})

const withParser = <T>(option: Option, parse: Parse<T> | undefined): Option =>
  parse === undefined ? option : option.argParser(parse)

/** An argument, such as `<token-id>`. */
export const argument = <T = string>(
  name: string,
  description: string,
  parse?: Parse<T>,
  choices?: readonly string[],
): Input<NoInfer<T>> => ({
  flag: name,
  declare: (command) => {
    const position = command.registeredArguments.length
    const added = new Argument(name, description)
    if (parse !== undefined) added.argParser(parse)
    command.addArgument(choices === undefined ? added : added.choices(choices))
    return () => command.processedArgs[position] as T
  },
})

/** An option that may be left out. */
export const option = <T = string>(
  flags: string,
  description: string,
  parse?: Parse<T>,
): Input<NoInfer<T> | undefined> => optionInput(withParser(new Option(flags, description), parse))

/** An option that must be given. */
export const required = <T = string>(flags: string, description: string, parse?: Parse<T>): Input<NoInfer<T>> =>
  optionInput(withParser(new Option(flags, description), parse).makeOptionMandatory())

/** An option with a default, written as one would type it. */
export const optionOr = <T>(flags: string, description: string, usual: string, parse: Parse<T>): Input<NoInfer<T>> =>
  optionInput(new Option(flags, description).argParser(parse).default(parse(usual, undefined), usual))

/** An option that takes one of these words. */
export const choice = (
  flags: string,
  description: string,
  words: readonly string[],
  isRequired = false,
): Input<string | undefined> =>
  optionInput(new Option(flags, description).choices(words).makeOptionMandatory(isRequired))

/** An option without a value: if it is given, the input has this one. */
export const flag = <T = true>(flags: string, description: string, value?: T): Input<NoInfer<T> | undefined> =>
  optionInput(new Option(flags, description).preset(value ?? true))

/** Collects the words of an option or argument that may be repeated. */
export const several = (typed: string, before: readonly string[] = []): readonly string[] => [...before, typed]

/** A value that the command always sends. */
export const always = <T>(value: T): Input<T> => ({ declare: () => () => value })

/** An input whose value the service or standard input replaces when the command runs. */
export const resolvedBy = <T, Resolved>(
  input: Input<T>,
  resolve: (session: Session, typed: T, before: Values) => Promise<Resolved>,
): Input<Resolved> => ({
  ...(input.flag !== undefined && { flag: input.flag }),
  declare: (command) => {
    const read = input.declare(command)
    return async (session, before) => resolve(session, await read(session, before), before)
  },
})

/** The same for one text, or for each of several; what is absent, or nothing, stays so. */
export const resolved = <T, Resolved = T>(
  input: Input<T>,
  resolve: (session: Session, typed: string, before: Values) => Promise<unknown>,
): Input<Resolved> =>
  resolvedBy(input, async (session, typed, before) => {
    if (typed === undefined || typed === nothing) return typed as never
    const one = (text: string): Promise<unknown> => resolve(session, text, before)
    return (await (Array.isArray(typed) ? Promise.all(typed.map(one)) : one(typed as string))) as Resolved
  })

/** The option for a file to write. One that exists is refused before anything is sent. */
export const outputFile = resolved(required('--output <path>', 'file to write'), async ({ surroundings }, path) => {
  if (!existsSync(resolve(surroundings.folder, path))) return path
  throw new Failure([`${path} cannot be written: the file already exists. Give another --output.`], 2)
})

/** What was typed for a value, a text or a number with its digits; undefined if it was replaced since. */
const typedText = (value: unknown): string | undefined => {
  // The service has replaced a name by its id.
  if (typeof value === 'string' && isId(value)) return undefined
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'object' && value !== null && 'rawJSON' in value ? String(value.rawJSON) : undefined
}

/** Writes the bound of a span, which the service gives in milliseconds, as people type it: `must be <= 90d`. */
const namingSpans = (message: string): string =>
  message.replace(/([<>]=) (\d+)/, (_, sign: string, ms: string) => {
    const [unit, size] = Object.entries(units).find(([, each]) => Number(ms) > 0 && Number(ms) % each === 0) ?? [
      'ms',
      1,
    ]
    return `${sign} ${Number(ms) / size}${unit}`
  })

/** The name of a field of an item in a list, such as `requisites.3.number`. */
const ofItem = /^\w+\.(\d+)\.?/

/**
 * Replaces the service's field names in a failure, such as `bankIssuer` or `requisites.0.bankIssuer`, by what was typed:
 * `--bank "sberbnk"`, or by the line of the file.
 */
export const namingInputs = (error: unknown, inputs: Inputs, given: Readonly<Record<string, unknown>>): unknown => {
  if (!(error instanceof Failure) || !error.problem.errors) return error
  const file = given['file'] as { readonly lines?: readonly number[] } | undefined
  const rename = (field: string): string => {
    if (file !== undefined)
      return file.lines ? field.replace(ofItem, (_, index: string) => `line ${file.lines?.[Number(index)]}: `) : field
    const name = field.split('.').findLast((part) => inputs[part]?.flag !== undefined) ?? ''
    const typedAs = inputs[name]?.flag
    return typedAs === undefined ? field : [typedAs, typedText(given[name])].filter(Boolean).join(' ')
  }
  return error.with({
    errors: error.problem.errors.map(({ field, message }) => ({
      field: rename(field),
      message: field.endsWith('Ms') ? namingSpans(message) : message,
    })),
  })
}

/** The values without those that are undefined. */
export const onlyGiven = <T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>
  }
