import type { SaxesParser } from 'saxes'
import type { Refusal } from '../../domain/refusal.ts'

/** Most attributes of an element; real files have less than thirty. */
const maxAttributes = 200
/** Longest value of an attribute. */
const maxValue = 16_000

/** Limits the attributes of each element that a parser reads; throws what `refuse` makes of a reason. */
export const limitXml = (parser: SaxesParser, refuse: (reason: string) => Refusal): void => {
  let attributes = 0
  parser.on('opentagstart', () => {
    attributes = 0
  })
  parser.on('attribute', ({ name, value }) => {
    if (++attributes > maxAttributes) throw refuse(`An element has more than ${maxAttributes} attributes.`)
    if (value.length > maxValue)
      throw refuse(`The attribute ${name.slice(0, 40)} is longer than ${maxValue} characters.`)
  })
}
