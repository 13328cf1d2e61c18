import { existsSync } from 'node:fs'
import { loadEnvFile } from 'node:process'
import type { Commands } from './commands.ts'

/** The service in the process of the command. Its settings are those of the environment and of `.env` in this folder. */
export const serveCommands: Commands = {
  serve: {
    define: (command) =>
      command.description('runs the service').action(async () => {
        if (existsSync('.env')) loadEnvFile('.env')
        await import('../main.ts')
      }),
  },
}
