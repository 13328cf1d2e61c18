import type { TObject, TProperties } from 'typebox'
import { type Field, fieldsOf } from './field.ts'
import { NoBody } from './fields.ts'
import { type PathParams, paramsOf } from './path.ts'
import type { Scope, Duty } from '../rules/members/access.ts'
import type { RefusalCode } from '../rules/refusal.ts'
import type { ByName, Forms, Summary, Static } from './schema.ts'

type Schema = { readonly '~kind': string } | { readonly '~unsafe': unknown }

/** The value of a declared part of a request or response: a schema made by `Type`, or the fields of an object. */
export type ValueOf<S> = S extends Schema ? Static<S> : S extends TProperties ? Static<TObject<ByName<S>>> : unknown

type Lists<Value> = {
  [Name in keyof Value as Value[Name] extends readonly object[]
    ? Name & string
    : never]: Value[Name] extends readonly (infer Row)[] ? Row : never
}

export type RowOf<Answer> = Lists<ValueOf<Answer>>[keyof Lists<ValueOf<Answer>>]

type NameOf<Row> = Row extends unknown ? keyof Row & string : never

/** The names of the fields of a query or body, and of those of groups and rows in it. */
type FieldNames<Value> =
  | (keyof Value & string)
  | {
      [Name in keyof Value]: NonNullable<Value[Name]> extends readonly (infer Item extends Group)[]
        ? FieldNames<Item>
        : NonNullable<Value[Name]> extends Group
          ? keyof NonNullable<Value[Name]> & string
          : never
    }[keyof Value]

type NamesOf<S> = FieldNames<NonNullable<ValueOf<S>>>

type Group = Readonly<Record<string, unknown>>

/** What a list says about its export: the name of its rows in the response, or more. */
export type Export<Name = string> =
  | Name
  | {
      /** Default: the rows of the page. */
      readonly rows?: Name
      /** The header, if not all fields of the rows: fields, and fields of objects in them, such as `total.amount`. */
      readonly columns?: string
      /** Most rows of a list that has one page. */
      readonly most?: number
    }

/** Schemas by media type, for what is not JSON. */
type Content = { readonly headers?: object; readonly content: Readonly<Record<string, { readonly schema: object }>> }

/** What a route accepts, returns and refuses; validation, its handler's types and the OpenAPI document come from it. */
export type Operation<Params, Query, Body, Answer> = {
  readonly id: string
  readonly summary: string
  readonly description?: string
  /** Those parameters of its path that do not follow from their names. */
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
  /** For a list: it has an export at its path with `.csv`, which reads its pages through `handle`; `null`: it has none. */
  readonly exports?: Export<keyof Lists<ValueOf<Answer>> & string> | null
  /** Refusal codes, in addition to those of every operation. */
  readonly refusals?: readonly RefusalCode[]
  readonly bodyLimit?: number
  readonly bodyWithinMs?: number
  readonly consumes?: readonly string[]
}

/** The method and path of an operation; names in braces are filled with values of the request. */
export type Request = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** How the command line asks for an operation and shows its answer, where that does not follow from the schemas. */
export type Command<Answer = never, Names extends string = string> = {
  /** What it does, if it is not all of the request. Default: the summary, and the first sentence of the description. */
  readonly about?: string
  /** Fields that are positional arguments, in order. Default: the merchant, if it is required. */
  readonly arguments?: readonly Names[]
  /** The options of fields, if they are not called as the fields. */
  readonly options?: Readonly<Partial<Record<Names, string>>>
  /** The fields that may be typed. Default: all. */
  readonly only?: readonly Names[]
  /** The list of the body: it gets the rows of a file, CSV or JSON, or one item, whose fields are typed. */
  readonly list?: Names
  /** Columns of the file that are not called as the fields. */
  readonly cells?: Readonly<Partial<Record<Names, string>>>
  /** Values that the command always sends. */
  readonly fixed?: Readonly<Partial<Record<Names, unknown>>>
  /** Of a list: its columns, the most important first: fields by their names, or what several say together. */
  readonly columns?: readonly (NameOf<RowOf<Answer>> | Summary<RowOf<Answer>>)[]
  /** Of a list: what an empty one says. */
  readonly empty?: string
  /** The answer in a sentence. Default: its fields. */
  readonly says?: string | ((answer: ValueOf<Answer>, forms: Forms, given: Group) => string)
  /** What is written below the answer. */
  readonly note?: string | ((answer: ValueOf<Answer>, forms: Forms, given: Group) => string | undefined)
  /** Whether the command exits with 1 although the request succeeded. */
  readonly fails?: (answer: ValueOf<Answer>) => boolean
  /** For requests that may take minutes. */
  readonly patient?: true
}

/** An operation of the operator API: also who may ask for it, and how. */
export type OperatorOperation<Params, Query, Body, Answer> = Operation<Params, Query, Body, Answer> & {
  readonly request: Request
  readonly duty: Duty
  /** The scope of a merchant's token, if merchants may ask for it, too: without `/merchants/{merchantId}`. */
  readonly scope?: Scope
  /** Its command, called as the operation; `null`: it has none. */
  readonly command?: Command<Answer, NamesOf<Query> | NamesOf<Body>> | null
  /** Further commands of the same request, by their names; without `command`, the only ones. */
  readonly commands?: Readonly<Record<string, Command<Answer, NamesOf<Query> | NamesOf<Body>>>>
}

/** An operation that is a list, for those that read its declaration. */
export type AnyList = {
  readonly request: Request
  readonly exports?: Export | null
  readonly query?: unknown
  readonly answer?: object
}

type Listing = { readonly exports?: Export | null; readonly answer?: unknown }

/** The name of the rows in the response of a list, which a list with pages does not say; undefined if it is no list. */
export const rowsNameOf = ({ exports, answer }: Listing): string | undefined => {
  if (exports === null || typeof exports === 'string') return exports ?? undefined
  if (exports?.rows !== undefined) return exports.rows
  const fields = fieldsOf(answer as object | undefined)
  return fields.find(({ kind }) => kind === 'rows' && fields.some(({ name }) => name === 'nextCursor'))?.name
}

/** The fields of the rows of a list. */
export const rowFieldsOf = (list: Listing): readonly Field[] =>
  fieldsOf(list.answer as object | undefined).find(({ name }) => name === rowsNameOf(list))?.fields ?? []

const sendsBody = (
  request: Request,
  { bodyContent, consumes }: Pick<Operation<never, never, never, never>, 'bodyContent' | 'consumes'>,
) => !/^(GET|DELETE) /.test(request) && bodyContent === undefined && consumes === undefined

/** Declares an operation of the operator API. Parameters follow from the path; without a body, none is accepted. */
export const operation = <Path extends Request, Query, Body, Answer, Params = unknown>(
  request: Path,
  duty: Duty,
  declared: Omit<OperatorOperation<Params, Query, Body, Answer>, 'request' | 'duty'>,
): OperatorOperation<PathParams<Path, Params>, Query, Body, Answer> => ({
  ...(sendsBody(request, declared) && { body: NoBody as Body }),
  ...{ request, duty, ...declared },
  params: paramsOf<Path, Params>(request, declared.params),
})

export type Operations = Readonly<Record<string, OperatorOperation<never, never, never, never>>>

/** A kind of thing that operators know, and all that can be done with it: what the API and the command line offer. */
export type Noun<Declared = Operations> = {
  readonly about: string
  readonly examples: readonly string[]
  /** The command that runs if none is named. */
  readonly usual?: string
  readonly operations: Declared
}
