import { createElement, Fragment, isValidElement, type ReactNode } from 'react'
import { Catalogue } from '../../src/rules/values/catalogue.ts'

/** What people read of a value within a text. */
const textOf = (value: ReactNode): string => {
  if (isValidElement<{ readonly children?: ReactNode }>(value)) return textOf(value.props.children)
  if (Array.isArray(value)) return value.map(textOf).join('')
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** The texts of one language, in whose gaps there may be elements. */
export class ConsoleCatalogue extends Catalogue {
  /** A text with values in its gaps; `place` is where it may differ from the same English text elsewhere. */
  say(text: string, values: readonly ReactNode[], place = ''): ReactNode {
    const own = this.find(`${place}: ${text}`)
    if (own !== undefined) return this.#fill(own, values)
    if (values.length === 0) return this.find(text) ?? text
    return this.find(textOf(this.#fill(text, values))) ?? this.#fill(this.find(text) ?? text, values)
  }

  #fill(text: string, values: readonly ReactNode[]): ReactNode {
    const parts = this.partsOf(text, values, textOf)
    return parts.some((part) => typeof part === 'object') ? createElement(Fragment, null, ...parts) : textOf(parts)
  }
}
