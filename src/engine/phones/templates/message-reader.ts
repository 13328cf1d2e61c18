import type { CatalogPart } from '../../catalog.ts'
import { createMessageReader, type MessageReader } from '../read-message.ts'
import { selectUsedTemplates } from './store.ts'

/** Reads messages with the templates that everybody has, and those that operators have taught. */
export const messageReader: CatalogPart<MessageReader> = {
  name: 'templates',
  load: async (sql) => createMessageReader(await sql.query(selectUsedTemplates, {})),
}
