/** Whether an operation whose body has this schema may be asked without one: it has none, or `null` is one of its forms. */
export const mayLackBody = (schema: unknown): boolean => {
  if (typeof schema !== 'object' || schema === null) return true
  const { type, anyOf = [] } = schema as { type?: unknown; anyOf?: readonly { readonly type?: unknown }[] }
  return [type, ...anyOf.map((form) => form.type)].includes('null')
}
