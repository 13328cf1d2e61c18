import pg from 'pg'
import { NotDone, type Refuse } from './faults.ts'

/** An error's PostgreSQL code (SQLSTATE), or its system code. */
export const sqlState = (error: unknown): string => (error as { code?: string } | null)?.code ?? ''

const serializationFailure = '40001'

/** Whether the database aborted a transaction in favour of another one: it may be run again. */
export const isConflict = (error: unknown): boolean => [serializationFailure, '40P01'].includes(sqlState(error))

/** The error of a query that `races` for unique indexes: a conflict if another transaction was first in one of them. */
export const asConflict = (error: unknown, races: readonly string[] = []): unknown => {
  if (sqlState(error) !== '23505' || !(error instanceof Error)) return error
  // Citus names the index only in the message, followed by a shard number.
  const isRace = races.some((index) => error.message.includes(`"${index}`))
  return isRace ? Object.assign(error, { code: serializationFailure }) : error
}

const lostConnectionMessages =
  /Connection terminated|Cannot use a pool after calling end|Query read timeout|timeout exceeded when trying to connect|timeout expired|client has encountered a connection error|Client was closed|Connection ended/i

/** Where the disk is full, PostgreSQL refuses new connections by an internal error (XX000), known by its text alone. */
const fullDiskMessages = /could not write init file|No space left on device/i

/**
 * Whether a new connection was refused: its user may not sign in (class 28) or not connect to the database (42501, as for
 * tables, so known by its text), or the database is not there (3D).
 */
export const isSignInRefused = (error: unknown): boolean =>
  /^(28|3D)/.test(sqlState(error)) ||
  (sqlState(error) === '42501' && error instanceof Error && error.message.includes('permission denied for database'))

/**
 * Whether the database was unreachable or cannot work at present: class 53 means its resources, class 58 the system's.
 */
export const isConnectionLost = (error: unknown): boolean => {
  const code = sqlState(error)
  if (/^(08|57P0|53|58)/.test(code) || ['25006', '25P03', '55000', '57P03'].includes(code)) return true
  if (/^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|NOTFOUND|AI_AGAIN)/.test(code) || code === 'ENOENT') return true
  if (isSignInRefused(error) || isDiskFull(error)) return true
  return error instanceof Error && lostConnectionMessages.test(error.message)
}

/** Whether the work was ended from outside: its connection was lost, or a time limit passed. */
export const isCut = (error: unknown): boolean => isConnectionLost(error) || sqlState(error) === '57014'

/** Whether the disk is full or fails: reads may still work, and writes will once there is room again. */
export const isDiskFull = (error: unknown): boolean =>
  ['53100', '58030', '58P02'].includes(sqlState(error)) ||
  (sqlState(error).startsWith('XX') && error instanceof Error && fullDiskMessages.test(error.message))

/**
 * Whether the embedded engine can no longer be trusted: the system failed it, it is out of memory, or it found an
 * internal fault. A full disk (53100) does not count: the engine handles it, and could not be reopened with it.
 */
export const isEngineBroken = (error: unknown): boolean => /^(53(?!100)|58|XX)/.test(sqlState(error))

/** Whether an error came after a long wait, so that the caller has no time for another attempt. */
export const hasWaited = (error: unknown): boolean => error instanceof Error && /timeout/i.test(error.message)

/** A transaction that may or may not have been committed. */
export class CommitUnknown extends Error {
  constructor(cause: Error) {
    super('the connection was lost while a transaction was being committed', { cause })
  }
}

/** The details of a PostgreSQL error quote whole rows and parameters, which must never be logged. */
export const withoutRows = (error: unknown): unknown => {
  if (error instanceof pg.DatabaseError) {
    error.detail = undefined
    error.where = undefined
  }
  return error
}

/** The error for the caller: what `refuse` makes of trouble with the database, else the error without data. */
export const asRefused = (error: unknown, refuse: Refuse = (fault) => fault): unknown =>
  isCut(error) || isConflict(error) || error instanceof CommitUnknown
    ? refuse(new NotDone('database_unavailable', { cause: withoutRows(error) }))
    : withoutRows(error)
