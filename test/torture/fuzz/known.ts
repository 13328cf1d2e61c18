// What the fuzzer has learnt from answers, so that its requests name what exists.
import { type Random, oneOf } from '../../support/random.ts'

type Fields = Readonly<Record<string, unknown>>

/** The most values kept of one kind; the oldest go first. */
const most = 100

/** Ids and other values that were in answers. */
export type Known = {
  /** Remembers an object of a collection such as `payments`. */
  add(collection: string, fields: Fields): void
  /** Remembers all objects and values in an answer to a request for this collection. */
  learn(collection: string, body: unknown, others?: Fields): void
  /** Any object of a collection. */
  pick(collection: string): Fields | undefined
  /** Any value that a field of this name has had. */
  value(name: string): unknown
}

const keep = <T>(rings: Map<string, T[]>, name: string, value: T): void => {
  const ring = rings.get(name) ?? []
  if (ring.length >= most) ring.shift()
  ring.push(value)
  rings.set(name, ring)
}

/** Starts without anything known. */
export const openKnown = (random: Random): Known => {
  const objects = new Map<string, Fields[]>()
  const values = new Map<string, unknown[]>()
  const known: Known = {
    add: (collection, fields) => keep(objects, collection, fields),
    learn: (collection, body, others = {}) => {
      if (typeof body !== 'object' || body === null) return
      for (const [name, value] of Object.entries(body)) {
        if (Array.isArray(value)) for (const item of value.slice(0, 10)) known.learn(name, item, others)
        else if (typeof value === 'object') known.learn(`${name}s`, value, others)
        else if (typeof value === 'string' && value.length < 200) keep(values, name, value)
      }
      const isNamed = ['id', 'eventId', 'paymentId', 'code'].some((name) => name in body)
      if (isNamed) known.add(collection, { ...others, ...(body as Fields) })
    },
    pick: (collection) => {
      const found = objects.get(collection)
      return found && oneOf(random, found)
    },
    value: (name) => {
      const found = values.get(name)
      return found && oneOf(random, found)
    },
  }
  return known
}
