import type { Schema } from './describe-operation.ts'

/** Members that do not change what a schema accepts. */
const words = ['description', 'examples', 'default'] as const

type Words = Partial<Record<(typeof words)[number], unknown>>

/** Members whose values are not schemas, whatever they look like. */
const values = new Set(['example', 'examples', 'enum', 'const', 'default'])

const split = (schema: object): { own: Words; shape: Record<string, unknown> } => {
  const shape: Record<string, unknown> = { ...schema }
  delete shape['title']
  const own: Words = {}
  for (const word of words) {
    if (shape[word] === undefined) continue
    own[word] = shape[word]
    delete shape[word]
  }
  return { own, shape }
}

const most = (texts: readonly string[]): string => {
  const counts = Map.groupBy(texts, (text) => text)
  return [...counts.values()].toSorted((a, b) => b.length - a.length)[0]?.[0] ?? '{}'
}

/** The schemas with one name: their shape, and the words of each. */
type Named = { readonly shape: string; readonly words: string[] }

/**
 * Moves each schema with a `title` to the components, under that name, and puts a reference in its place. A place with
 * its own description or examples keeps them next to the reference. Throws if two different schemas have the same name.
 */
export const nameSchemas = <Part>(part: Part): { part: Part; schemas: Record<string, Schema> } => {
  const found = new Map<string, Named>()
  const refer = (value: unknown, member = ''): unknown => {
    if (typeof value !== 'object' || value === null || values.has(member)) return value
    if (Array.isArray(value)) return value.map((each) => refer(each))
    const inner = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, refer(each, name)]))
    const name = inner['title']
    if (typeof name !== 'string' || member === 'info') return inner
    const { own, shape } = split(inner)
    const text = JSON.stringify(shape)
    const known = found.get(name) ?? { shape: text, words: [] }
    if (known.shape !== text) throw new Error(`two schemas have the name ${name}:\n${known.shape}\n${text}`)
    known.words.push(JSON.stringify(own))
    found.set(name, known)
    return { $ref: `#/components/schemas/${name}`, ...own }
  }
  const referring = refer(part) as Part
  const usual = new Map([...found].map(([name, each]) => [name, JSON.parse(most(each.words)) as Words]))
  const shorten = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(shorten)
    const inner = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shorten(each)]))
    const reference = inner['$ref']
    if (typeof reference !== 'string') return inner
    const common = usual.get(reference.split('/').at(-1) ?? '') ?? {}
    for (const word of words) if (JSON.stringify(inner[word]) === JSON.stringify(common[word])) delete inner[word]
    return inner
  }
  const schemas = [...found]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { shape }]) => [name, shorten({ ...usual.get(name), ...(JSON.parse(shape) as object) })])
  return { part: shorten(referring) as Part, schemas: Object.fromEntries(schemas) as Record<string, Schema> }
}
