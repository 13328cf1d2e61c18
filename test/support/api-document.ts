// The committed OpenAPI document.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** The committed document, which a test compares with the one that the service serves. */
export const apiDocument = JSON.parse(
  readFileSync(join(resolve(import.meta.dirname, '..', '..'), 'docs', 'openapi.json'), 'utf8'),
) as Record<string, unknown>

/** A part of the document with its references resolved; none of them is circular. */
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

/** Compiles schemas that are parts of a document, each given by its path: `['components', 'schemas', 'Payment']`. */
export const openChecks = (document: object = apiDocument): ((path: readonly string[]) => Check) => {
  // Some members of the document are not words of JSON Schema, and most of its schemas are never compiled.
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
