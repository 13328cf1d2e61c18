type Operation = { readonly security?: readonly object[]; readonly tags?: readonly string[] }

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The parts of an OpenAPI document that say whom it is for. */
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: object
  readonly tags: readonly { readonly name: string }[]
  readonly components: Components
}

const scheme = 'merchant'

const isOfMerchants = ({ security = [] }: Operation): boolean => security.some((each) => scheme in each)

/** What a part of a document refers to, and what that refers to: `schemas/Payment`. */
const listReferences = (part: object, components: Components, found = new Set<string>()): ReadonlySet<string> => {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/([^"]+)"/g)) {
    if (found.has(name)) continue
    found.add(name)
    const [kind = '', ...rest] = name.split('/')
    listReferences(components[kind]?.[rest.join('/')] as object, components, found)
  }
  return found
}

const keep = <Value>(
  all: Readonly<Record<string, Value>>,
  isKept: (name: string, value: Value) => boolean,
): Record<string, Value> => Object.fromEntries(Object.entries(all).filter(([name, value]) => isKept(name, value)))

/** The document of what a merchant's token may ask for, and of what merchants are notified of. */
export const merchantDocument = (document: ApiDocument): ApiDocument => {
  const paths = Object.fromEntries(
    Object.entries(document.paths)
      .map(([path, methods]) => [path, keep(methods, (_, operation) => isOfMerchants(operation))] as const)
      .filter(([, methods]) => Object.keys(methods).length > 0),
  )
  const used = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)))
  const references = listReferences({ paths, webhooks: document.webhooks }, document.components)
  const components = Object.fromEntries(
    Object.entries(document.components).map(([kind, parts]) => [
      kind,
      keep(parts, (name) => (kind === 'securitySchemes' ? name === scheme : references.has(`${kind}/${name}`))),
    ]),
  )
  return { ...document, tags: document.tags.filter(({ name }) => used.has(name)), paths, components }
}
