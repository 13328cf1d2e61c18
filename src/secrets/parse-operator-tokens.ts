/** The token of an operator. */
export type NamedToken = { readonly name: string; readonly token: string }

/** Name of the operator whose token `PAYIN_OPERATOR_TOKEN` is. */
export const mainOperator = 'operator'

/** Reads `name:token,…`: names are short words, tokens are long, and both are unique. The problem never quotes the text. */
export const parseOperatorTokens = (text: string): { value: readonly NamedToken[] } | { problem: string } => {
  const value: NamedToken[] = []
  for (const part of text.split(',')) {
    const [, name, token] = /^\s*([a-z0-9][a-z0-9.-]{0,39}):([\x21-\x2b\x2d-\x7e]{32,256})\s*$/.exec(part) ?? []
    if (name === undefined || token === undefined || new Set(token).size < 8) {
      return { problem: 'is not a list of name:token pairs with random tokens of 32 to 256 characters' }
    }
    if (name === mainOperator || value.some((each) => each.name === name)) {
      return { problem: `gives a name twice, or the name ${mainOperator}` }
    }
    if (value.some((each) => each.token === token)) return { problem: 'gives one token to two operators' }
    value.push({ name, token })
  }
  return { value }
}
