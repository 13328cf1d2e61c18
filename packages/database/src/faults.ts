/** What is wrong with a database or its pooler, and lasts until somebody changes it: to try again changes nothing. */
export class Unsuitable extends Error {}

/** The work was not done and nothing was changed, so it may be tried again. */
export class NotDone extends Error {
  /** `database_unavailable`: the database is out of reach or cannot work; `overloaded`: too many calls wait. */
  readonly code: 'database_unavailable' | 'overloaded'

  constructor(code: NotDone['code'], options?: ErrorOptions) {
    super(
      code === 'overloaded'
        ? 'Too many requests are waiting; nothing was changed. Try again shortly.'
        : 'The database is out of reach; nothing was lost. Try again shortly.',
      options,
    )
    this.name = 'NotDone'
    this.code = code
  }
}

/** Makes the error that a caller gets for work that was not done; by default a `NotDone`. */
export type Refuse = (fault: NotDone) => Error
