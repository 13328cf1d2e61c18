// Applies migrations.
export { migrate, type MigrateOptions } from './migrate.ts'
export { type Migration, parseMigration, readMigrations } from './read-migrations.ts'
