import { defineConfig } from '@medusajs/framework/utils'

// Cache, event bus, locks and workflows stay in memory, which is the default; nothing here logs a request.
export default defineConfig({
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: { jwtSecret: 'only-for-measuring', cookieSecret: 'only-for-measuring' },
  },
  admin: { disable: true },
})
