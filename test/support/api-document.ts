// The committed OpenAPI document.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** The document as it is committed, which a test compares with the one that the service serves. */
export const apiDocument = JSON.parse(
  readFileSync(join(resolve(import.meta.dirname, '..', '..'), 'docs', 'openapi.json'), 'utf8'),
) as Record<string, unknown>

/** A part of the document with what it refers to in place of its references, none of which leads back to itself. */
export const withReferences = (part: unknown, whole: object = apiDocument): unknown => {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map((each) => withReferences(each, whole))
  const { $ref: reference, ...others } = part as { $ref?: string }
  const own = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, withReferences(value, whole)]))
  if (reference === undefined) return own
  const steps = reference.slice('#/'.length).split('/')
  const found = steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], whole)
  return { ...(withReferences(found, whole) as object), ...own }
}

type Check = ((value: unknown) => boolean) & { errors?: unknown }

/** Compiles schemas that are parts of a document, given by their place: `['components', 'schemas', 'Payment']`. */
export const openChecks = (document: object = apiDocument): ((path: readonly string[]) => Check) => {
  // The document's own members are no words of JSON Schema, and most of its schemas are never compiled.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
  formats.default(ajv)
  ajv.addFormat('binary', true)
  ajv.addSchema(document, 'api')
  const checks = new Map<string, Check>()
  return (path) => {
    const steps = path.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
    const reference = `api#/${steps.join('/')}`
    const check = checks.get(reference) ?? (ajv.compile({ $ref: reference }) as Check)
    checks.set(reference, check)
    return check
  }
}
