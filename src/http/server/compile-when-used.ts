import AjvCompiler from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

type BuildValidator = ReturnType<typeof AjvCompiler>
type BuildSerializer = ReturnType<typeof SerializerSelector>
type Validate = ReturnType<ReturnType<BuildValidator>>
type Check = { (data: unknown): unknown; errors?: Validate['errors'] | undefined }

/**
 * There are more than a thousand schemas, one for each part of a request and each status of a response. Compiling them
 * all would add seconds to every start, so each is compiled on first use. The results are kept for the process: a
 * second server (tests start many) does not compile them again.
 */
const buildValidator: BuildValidator = AjvCompiler()
const serializers = new WeakMap<object, (document: unknown) => string>()

/**
 * Compiles the validator for a part of a request when the first such request arrives. Header schemas must be in lower
 * case.
 */
export const validateWhenUsed: BuildValidator = (externalSchemas, options) => {
  const compile = buildValidator(externalSchemas, options)
  return (route) => {
    let validate: Validate | undefined
    const check: Check = (data) => {
      validate ??= compile(route)
      const valid = validate(data)
      check.errors = validate.errors
      return valid
    }
    return check as Validate
  }
}

/** Compiles the serializer of a response when the first such response is sent. */
export const serializeWhenUsed: BuildSerializer = (externalSchemas, options) => {
  const compile = SerializerSelector()(externalSchemas, options)
  return (route) => {
    const schema = route.schema as object
    return (document) => {
      const known = serializers.get(schema)
      if (known) return known(document)
      const serialize = compile(route)
      serializers.set(schema, serialize)
      return serialize(document)
    }
  }
}
