import type { FastifyRequest, preParsingHookHandler } from 'fastify'
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

const parts = ['params', 'querystring', 'body'] as const

/**
 * Lower-cases the ids (`format: uuid`) of paths, queries and bodies before handlers see them: an id in capitals is the
 * same id (RFC 9562 §4), and all other code compares ids as text. Those of a path are lower-cased as soon as they are
 * validated, because hooks look things up by them.
 */
export const lowerCaseIds = (app: App): void => {
  app.addHook('onRoute', (route) => {
    const schema = (route.schema ?? {}) as Readonly<Record<(typeof parts)[number], Shape | undefined>>
    const [changeParams, changeQuery, changeBody] = parts.map((part) => schema[part] && lowerIds(schema[part]))
    if (changeParams) {
      const lower: preParsingHookHandler = (request, _reply, payload, done) => {
        changeParams(request.params)
        done(null, payload)
      }
      route.preParsing = [lower, ...[route.preParsing ?? []].flat()]
    }
    if (!changeQuery && !changeBody) return
    const lower = (request: FastifyRequest, _reply: unknown, done: () => void): void => {
      changeQuery?.(request.query)
      changeBody?.(request.body)
      done()
    }
    route.preHandler = [lower, ...[route.preHandler ?? []].flat()]
  })
}
