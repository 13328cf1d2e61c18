import type { TSchema } from 'typebox'

/** What a field means to people, where its name and form do not say it. */
export type Meaning = {
  /** What the id names. */
  readonly of?: string
  /** The field with the currency of an amount. */
  readonly currency?: string
  /** Default: the name of the field in words. */
  readonly heading?: string
  /** What people read where there is none. */
  readonly absent?: string
}

// JSON leaves it out, so neither validation nor the OpenAPI document knows of it.
const meaning = Symbol('meaning')

/** A schema of a field that means this. */
export const meant = <Schema extends TSchema>(schema: Schema, means: Meaning): Schema => ({
  ...schema,
  [meaning]: means,
})

/** What a field with this schema means. */
export const meaningOf = (schema: object): Meaning => (schema as { readonly [meaning]?: Meaning })[meaning] ?? {}
