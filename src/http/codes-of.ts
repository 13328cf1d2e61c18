import type { RefusalCode } from '../domain/refusal.ts'
import type { ErrorCode, Security } from './error-code.ts'
import { errorCodes } from './error-codes.ts'

const codesWhere = (isWanted: (where: ErrorCode['where']) => boolean): readonly RefusalCode[] =>
  (Object.keys(errorCodes) as RefusalCode[]).filter((code) => isWanted(errorCodes[code].where))

/** The codes with which any request may be refused, also one that needs no token. */
export const serverCodes = codesWhere((where) => where === 'server')

/** The codes with which each operation of an interface may refuse. */
export const codesOf = (security: Security): readonly RefusalCode[] =>
  codesWhere((where) => where === 'server' || (typeof where === 'object' && where.includes(security)))
