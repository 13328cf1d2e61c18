/** Whether a request may come without a body: its schema has none, or allows `null`. */
export const mayLackBody = (schema: unknown): boolean => {
  if (typeof schema !== 'object' || schema === null) return true
  const { type, anyOf = [] } = schema as { type?: unknown; anyOf?: readonly { readonly type?: unknown }[] }
  return [type, ...anyOf.map((form) => form.type)].includes('null')
}
