/** A heading with the lines under it. */
export type Message = { readonly heading: string; readonly lines: readonly string[] }

/** A message of a dictionary. */
export const message = (heading: string, ...lines: readonly string[]): Message => ({ heading, lines })
