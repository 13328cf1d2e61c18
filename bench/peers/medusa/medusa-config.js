import { defineConfig } from '@medusajs/framework/utils'

// By default cache, event bus, locks and workflows are in memory. Nothing here logs a request.
export default defineConfig({
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: { jwtSecret: 'only-for-measuring', cookieSecret: 'only-for-measuring' },
  },
  admin: { disable: true },
})
