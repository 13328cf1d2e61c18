import type { TObject, TProperties } from 'typebox'
import type { Duty } from '../rules/members/role.ts'
import type { RefusalCode } from '../rules/refusal.ts'
import type { Static } from './schema.ts'

type Schema = { readonly '~kind': string } | { readonly '~unsafe': unknown }

/** The value of a declared part of a request or response: a schema made by `Type`, or the fields of an object. */
export type ValueOf<S> = S extends Schema ? Static<S> : S extends TProperties ? Static<TObject<S>> : unknown

/** What a list says about its export: the name of its rows in the response, or more. */
export type Export =
  | string
  | {
      readonly rows: string
      /** The header, if not all fields of the rows: fields, and fields of objects in them, such as `total.amount`. */
      readonly columns?: string
      /** Most rows of a list that has one page. */
      readonly most?: number
    }

/** Schemas by media type, for what is not JSON. */
type Content = { readonly headers?: object; readonly content: Readonly<Record<string, { readonly schema: object }>> }

/** What a route accepts, returns and refuses; validation, its handler's types and the OpenAPI document come from it. */
export type Operation<Params, Query, Body, Answer> = {
  /** Name of the operation. */
  readonly id: string
  readonly summary: string
  readonly description?: string
  readonly params?: Params
  /** Headers that it reads; others are ignored. */
  readonly headers?: TProperties
  /** No other fields are accepted. */
  readonly query?: Query
  /** No other fields are accepted, unless it is a schema. */
  readonly body?: Body
  readonly bodyContent?: Content
  /** Status of the response. Default: 200. */
  readonly status?: 201 | 202
  readonly answer?: Answer
  /** Response schemas by status, if there are several; the handler sets the status. */
  readonly answers?: Readonly<Record<number, Answer>>
  readonly answerContent?: Content
  /** For a list: it has an export at its path with `.csv`, which reads its pages through `handle`. */
  readonly exports?: Export
  /** Refusal codes, in addition to those of every operation. */
  readonly refusals?: readonly RefusalCode[]
  readonly bodyLimit?: number
  readonly bodyWithinMs?: number
  readonly consumes?: readonly string[]
}

/** The method and path of an operation; names in braces are filled with values of the request. */
export type Request = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** How the command line asks for an operation, where that does not follow from its fields. */
export type Command = {
  /** Default: the summary. */
  readonly about?: string
  /** Fields of the body that are typed without a name, in their order. Default: the merchant, if it is required. */
  readonly arguments?: readonly string[]
  /** Options that are called otherwise than their fields. */
  readonly options?: Readonly<Record<string, string>>
}

/** An operation of the operator API: also who may ask for it, and how. */
export type OperatorOperation<Params, Query, Body, Answer> = Operation<Params, Query, Body, Answer> & {
  readonly request: Request
  readonly duty: Duty
  readonly command?: Command
}

/** Declares an operation of the operator API. */
export const operation = <Params, Query, Body, Answer>(
  request: Request,
  duty: Duty,
  declared: Omit<OperatorOperation<Params, Query, Body, Answer>, 'request' | 'duty'>,
): OperatorOperation<Params, Query, Body, Answer> => ({ request, duty, ...declared })

/** Operations by the names of their commands. */
export type Operations = Readonly<Record<string, OperatorOperation<never, never, never, never>>>

/** Schema of a row. */
export type Row = TObject

/** A kind of thing that operators know, and all that can be done with it: what the API and the command line offer. */
export type Noun<Declared = Operations> = {
  /** What one of them is called. */
  readonly name: string
  readonly about: string
  /** By what people name one of them. */
  readonly named: string
  readonly row: Row
  /** The columns of a list, the most important first. */
  readonly columns: readonly string[]
  /** What an empty list says. */
  readonly empty: string
  readonly examples: readonly string[]
  readonly operations: Declared
}
