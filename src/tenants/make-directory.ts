import type { Session } from '../database/database.ts'
import { directoryCommands } from './store.ts'

/** Makes the directory of tenants where there is none, or adds what this release needs. */
export const makeDirectory = async (session: Session): Promise<void> => {
  for (const command of directoryCommands) await session.run(command)
}
