import type { TProperties, TString } from 'typebox'
import { Currency, Id, OrderId, idOf } from './fields.ts'
import { type NamedKind, namedThings } from './named.ts'

type NameIn<Part> = Part extends `{${infer Name}}` | `:${infer Name}` ? Name : never

type NamesIn<Path> = Path extends `${infer Part}/${infer Rest}` ? NameIn<Part> | NamesIn<Rest> : NameIn<Path>

/** The parameters of a path: those that are declared, and those that follow from their names. */
export type PathParams<Path, Declared> = {
  readonly [Name in NamesIn<Path>]: Name extends keyof Declared ? Declared[Name] : TString
}

/** What the ids in a collection name, if its name does not say it. */
const collections: Readonly<Record<string, NamedKind | undefined>> = {
  alerts: 'incident',
  'alert-channels': 'channel',
  'message-templates': 'template',
  outgoing: 'outgoing',
  overpayments: 'payment',
  'statement-sources': 'source',
}

const kindNamed = (word: string): NamedKind | undefined => (word in namedThings ? (word as NamedKind) : undefined)

/** `{id}` names a thing of the collection before it, `{linkId}` a link. */
const schemaOf = (name: string, collection: string) => {
  if (name === 'currency') return Currency
  if (name === 'orderId') return OrderId
  const kind = name === 'id' ? (collections[collection] ?? kindNamed(collection.replace(/s$/, ''))) : undefined
  const named = kind ?? kindNamed(name.replace(/Id$/, ''))
  return named === undefined ? Id : idOf(named)
}

/** The schemas of the parameters of a path, in its order; those that do not follow from their names are declared. */
export const paramsOf = <Path extends string, Declared>(
  path: Path,
  declared?: Declared,
): PathParams<Path, Declared> => {
  const params: Record<string, unknown> = {}
  let collection = ''
  for (const part of path.split('/')) {
    const [, name] = /^(?:\{|:)(\w+)/.exec(part) ?? []
    if (name === undefined) collection = part
    else params[name] = (declared as TProperties | undefined)?.[name] ?? schemaOf(name, collection)
  }
  return params as PathParams<Path, Declared>
}
