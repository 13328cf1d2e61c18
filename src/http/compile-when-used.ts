import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

/**
 * Compiles the serializer of an answer when the first such answer is sent: there are more than a thousand, one for each
 * status of each operation, and compiling them all would take seconds of every start.
 */
export const compileWhenUsed: ReturnType<typeof SerializerSelector> = (externalSchemas, options) => {
  const compile = SerializerSelector()(externalSchemas, options)
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined
    return (document) => (serialize ??= compile(route))(document)
  }
}
