// The committed OpenAPI document.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { withReferences as resolveReferences } from '../../site/openapi-document.ts'

/** The committed document, which a test compares with the one that the service serves. */
export const apiDocument = JSON.parse(
  readFileSync(join(resolve(import.meta.dirname, '..', '..'), 'docs', 'openapi.json'), 'utf8'),
) as Record<string, unknown>

/** A part of the document with what its references lead to in place of them. */
export const withReferences = (part: unknown, whole: object = apiDocument): unknown => resolveReferences(part, whole)

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
