import type { RefusalCode } from './error-codes.ts'

/** Every reason for which the service refuses a request. */
export type { RefusalCode }

/** A wrong field, by its name in the request. */
export type FieldError = { readonly field: string; readonly code: string; readonly message: string }

export type RefusalDetails = {
  readonly errors?: readonly FieldError[]
  readonly retryAfterSeconds?: number
  /** Further members of the answer, such as `reason`. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** The only class for refusals: thrown or returned by rules and use cases, made an answer by `http/errors.ts`. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: RefusalDetails

  constructor(code: RefusalCode, message: string, details: RefusalDetails = {}) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.details = details
  }
}

/** What lasts until somebody changes the settings or what they name: to start again changes nothing. */
export class Misconfigured extends Error {}

/** A field with an invalid value; `message` continues its name. */
export const invalid = (field: string, message: string) => ({ field, code: 'validation_failed' as const, message })

export type FieldProblem = FieldError & { readonly code: RefusalCode }

/** The refusal of all wrong fields together, with the code of the first; `undefined` if none is wrong. */
export const refuseProblems = (errors: readonly FieldProblem[]): Refusal | undefined =>
  errors[0] && new Refusal(errors[0].code, `${errors[0].field} ${errors[0].message}`, { errors })

/** A refusal because of one field; `message` continues its name, such as `is required.` */
export const refuseField = (field: string, message: string, code: RefusalCode = 'validation_failed'): Refusal =>
  new Refusal(code, `${field} ${message}`, { errors: [{ field, code, message }] })

/**
 * Takes a step for each item of the list with this name in a request, one after the other; refuses what any of them
 * refuses, together: `balances.3.day`.
 */
export const forEachOf = async <T, Result>(
  list: string,
  items: readonly T[],
  step: (item: T) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  const errors: FieldProblem[] = []
  for (const [index, item] of items.entries()) {
    try {
      results.push(await step(item))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { code, message, details } = error
      const of = `${list}.${index}`
      const own = details.errors?.map((each) => ({ ...each, code, field: `${of}.${each.field}` }))
      errors.push(...(own ?? [{ field: of, code, message }]))
    }
  }
  const refusal = refuseProblems(errors)
  if (refusal) throw refusal
  return results
}

/** What a step gives, or its refusal if that has one of these codes. */
export const orRefusal = async <T>(codes: readonly RefusalCode[], step: () => Promise<T>): Promise<T | Refusal> => {
  try {
    return await step()
  } catch (error) {
    if (error instanceof Refusal && codes.includes(error.code)) return error
    throw error
  }
}

/** The refusal of a step that the current state of something does not allow. */
export const invalidState = (message: string): Refusal => new Refusal('invalid_state', message)

/** The refusal of a name or id that does not exist; `what` is, for example, `transfer`. */
export const noSuch = (what: string): Refusal => new Refusal('resource_not_found', `There is no such ${what}.`)

/** The first of the rows; refuses `resource_not_found` if there is none. */
export const requireRow = <T>([row]: readonly T[], what: string): T => {
  if (row === undefined) throw noSuch(what)
  return row
}
