import type { Context } from '../context.ts'
import type { Statement } from '../domain/statement-import.ts'
import { listStatements as list } from './store.ts'

/** Uploaded statements, the newest first, from before an id. */
export const listStatements = (
  context: Context,
  page: { readonly before: string | null; readonly limit: number },
): Promise<Statement[]> => context.query(list, page)
