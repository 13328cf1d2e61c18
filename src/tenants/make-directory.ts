import type { Session } from '../database/database.ts'
import { directoryCommands } from './store.ts'

/** Makes the directory of tenants where there is none, or adds what this release needs; all or nothing. */
export const makeDirectory = async (session: Session): Promise<void> => {
  await session.run('begin')
  try {
    for (const command of directoryCommands) await session.run(command)
    await session.run('commit')
  } catch (error) {
    await session.run('rollback').catch(() => undefined)
    throw error
  }
}
