// Documents of ISO 20022 as their elements, and whether these are in the order that the standard demands.
import assert from 'node:assert/strict'
import { SaxesParser } from 'saxes'

export type XmlElement = {
  readonly name: string
  text: string
  readonly within: string
  readonly attributes: object
}

/** The elements that an element may have, in their order, and those that it must have. */
export type Sequences = Readonly<Record<string, readonly string[]>>

/** The elements of an XML document in order, with their depth and text. */
export const elementsOf = (xml: string): readonly XmlElement[] => {
  const found: XmlElement[] = []
  const open: XmlElement[] = []
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const each = { name, text: '', within: open.map((outer) => outer.name).join('/'), attributes }
    open.push(each)
    found.push(each)
  })
  parser.on('text', (said) => {
    const last = open.at(-1)
    if (last) last.text += said
  })
  parser.on('closetag', () => void open.pop())
  parser.write(xml).close()
  return found
}

/** Fails unless each element has only what it may have, in order, and what it needs. */
export const assertSequences = (elements: readonly XmlElement[], sequences: Sequences, needed: Sequences): void => {
  for (const [index, outer] of elements.entries()) {
    const path = outer.within === '' ? outer.name : `${outer.within}/${outer.name}`
    const rest = elements.slice(index + 1)
    const end = rest.findIndex((each) => !`${each.within}/`.startsWith(`${path}/`))
    const children = rest.slice(0, end < 0 ? undefined : end).filter(({ within }) => within === path)
    const names = children.map(({ name }) => name)
    const places = names.map((name) => sequences[outer.name]?.indexOf(name) ?? 0)
    assert.ok(
      places.every((place, at) => place >= 0 && place >= (places[at - 1] ?? 0)),
      `${outer.name}: ${names.join()}`,
    )
    for (const name of needed[outer.name] ?? []) assert.ok(names.includes(name), `${outer.name} lacks ${name}`)
  }
}
