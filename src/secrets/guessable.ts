/** Words from examples: they add nothing that an attacker would not try. */
const words =
  /payin|operator|token|secret|password|passw|change|replace|example|sample|test|demo|prod|admin|key|default|your|this|long|bytes|local/gi

/** Random secrets of 32 characters have more; see `secretBits`. */
const leastBits = 80

const isStep = (text: string, at: number): boolean => {
  const step = text.charCodeAt(at) - text.charCodeAt(at - 1)
  return Math.abs(step) <= 1 && step === text.charCodeAt(at - 1) - text.charCodeAt(at - 2)
}

/** Bits that an attacker has to guess, not counting well-known words, runs (`0123`, `aaaa`) and repetitions. */
const secretBits = (text: string): number => {
  const rest = text.replace(words, '')
  const surprises = [...rest].filter((_, at) => {
    const isKnown = at >= 2 && rest.indexOf(rest.slice(at - 2, at + 1)) < at - 2
    return !isKnown && !(at >= 2 && isStep(rest, at))
  })
  return surprises.length * Math.log2(Math.max(1, new Set(rest).size))
}

/** Whether a secret was made up or copied rather than generated at random. */
export const isGuessable = (secret: string): boolean => secretBits(secret) < leastBits

/** The same for the 32 bytes of a key: random ones are never all text or all in steps. */
export const isGuessableKey = (key: Uint8Array): boolean => isGuessable(Buffer.from(key).toString('latin1'))
