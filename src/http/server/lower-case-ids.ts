import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'

/** The parts of a request schema that decide where ids are. */
type Shape = {
  readonly format?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

type Change = (value: unknown) => unknown

/** A function that lower-cases the ids of a validated value, in place; `undefined` where its schema has none. */
const lowerIds = ({ format, properties = {}, items, anyOf = [] }: Shape): Change | undefined => {
  if (format === 'uuid') return (value) => (typeof value === 'string' ? value.toLowerCase() : value)
  const fields = Object.entries(properties).flatMap(([name, shape]) => {
    const change = lowerIds(shape)
    return change ? [{ name, change }] : []
  })
  const changeItem = items && lowerIds(items)
  const branches = anyOf.flatMap((shape) => lowerIds(shape) ?? [])
  if (fields.length === 0 && !changeItem && branches.length === 0) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null) return branches.reduce((changed, change) => change(changed), value)
    const holder = value as Record<string, unknown>
    for (const { name, change } of fields) if (name in holder) holder[name] = change(holder[name])
    if (changeItem && Array.isArray(value)) for (const [index, item] of value.entries()) value[index] = changeItem(item)
    for (const change of branches) change(value)
    return value
  }
}

/**
 * Lower-cases the ids (`format: uuid`) of paths, queries and bodies before handlers see them: an id in capitals is the
 * same id (RFC 9562 §4), and all other code compares ids as text.
 */
export const lowerCaseIds = (app: App): void => {
  app.addHook('onRoute', (route) => {
    const schema = (route.schema ?? {}) as Readonly<Record<'params' | 'querystring' | 'body', Shape | undefined>>
    const changes = (['params', 'querystring', 'body'] as const).flatMap((part) => {
      const change = schema[part] && lowerIds(schema[part])
      return change ? [{ part: part === 'querystring' ? ('query' as const) : part, change }] : []
    })
    if (changes.length === 0) return
    const lower = (request: FastifyRequest, _reply: unknown, done: () => void): void => {
      for (const { part, change } of changes) change(request[part])
      done()
    }
    route.preHandler = [lower, ...[route.preHandler ?? []].flat()]
  })
}
