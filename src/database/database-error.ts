import pg from 'pg'
import { Refusal } from '../domain/refusal.ts'

/** PostgreSQL's code of an error (SQLSTATE), or that of the system. */
export const sqlState = (error: unknown): string => (error as { code?: string } | null)?.code ?? ''

const serializationFailure = '40001'

/** Whether the database gave a transaction up in favour of another one: it may be run again. */
export const isConflict = (error: unknown): boolean => [serializationFailure, '40P01'].includes(sqlState(error))

/** The error of a query that `races` for unique indexes: a conflict where another transaction was first in one of them. */
export const asConflict = (error: unknown, races: readonly string[] = []): unknown => {
  if (sqlState(error) !== '23505' || !(error instanceof Error)) return error
  // A Citus names the index in the message alone, with the number of a shard behind it.
  const isRace = races.some((index) => error.message.includes(`"${index}`))
  return isRace ? Object.assign(error, { code: serializationFailure }) : error
}

const lostConnectionMessages =
  /Connection terminated|Cannot use a pool after calling end|Query read timeout|timeout exceeded when trying to connect|client has encountered a connection error|Client was closed|Connection ended/i

/** Whether the database could not be reached, or cannot work at present: of class 53 are its resources, of 58 the system's. */
export const isConnectionLost = (error: unknown): boolean => {
  const code = sqlState(error)
  if (/^(08|57P0|53|58)/.test(code) || ['25006', '25P03', '55000', '57P03'].includes(code)) return true
  if (/^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|NOTFOUND|AI_AGAIN)/.test(code) || code === 'ENOENT') return true
  return error instanceof Error && lostConnectionMessages.test(error.message)
}

/** Whether the work was ended from outside, with its connection or by a time limit. */
export const isCut = (error: unknown): boolean => isConnectionLost(error) || sqlState(error) === '57014'

/** Whether the disk is full or fails: reading may go on, and writing will when there is room again. */
export const isDiskFull = (error: unknown): boolean => ['53100', '58030', '58P02'].includes(sqlState(error))

/**
 * Whether the embedded engine is no longer to be trusted: the system failed it, it is out of memory, or it has found a
 * fault in itself. Not so for a full disk (53100), which it handles, and with which it would not open again.
 */
export const isEngineBroken = (error: unknown): boolean => /^(53(?!100)|58|XX)/.test(sqlState(error))

/** Whether an error came after a long wait: the caller has no time for another attempt. */
export const hasWaited = (error: unknown): boolean => error instanceof Error && /timeout/i.test(error.message)

/** A transaction of which nobody knows whether it was committed. */
export class CommitUnknown extends Error {
  constructor(cause: Error) {
    super('the connection was lost while a transaction was being committed', { cause })
  }
}

/** The details of a PostgreSQL error quote whole rows and parameters, which must reach no log. */
export const withoutRows = (error: unknown): unknown => {
  if (error instanceof pg.DatabaseError) {
    error.detail = undefined
    error.where = undefined
  }
  return error
}

/** What the caller gets: `database_unavailable` for trouble of the database, or the error without the data in it. */
export const toRefusal = (error: unknown): unknown =>
  isCut(error) || isConflict(error) || error instanceof CommitUnknown
    ? Object.assign(
        new Refusal('database_unavailable', 'The database is out of reach; nothing was lost, try again shortly.', {
          retryAfterSeconds: 2,
        }),
        { cause: withoutRows(error) },
      )
    : withoutRows(error)
