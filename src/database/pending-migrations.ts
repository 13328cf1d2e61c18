import type { Migration } from './read-migrations.ts'

/** What a database keeps about a migration that was applied to it. */
export type AppliedMigration = {
  readonly name: string
  readonly checksum: string
  /** The number of the migration that a version must know to run after this one; empty: any version may. */
  readonly oldest: string
  /** The version of Payin that applied it. */
  readonly appliedBy: string
}

/** The oldest version that may run on the database, by the number of a migration that it must know. */
const oldestOf = (applied: readonly AppliedMigration[]): string =>
  applied.reduce((oldest, each) => (each.oldest > oldest ? each.oldest : oldest), '')

const namesOf = (migrations: readonly { readonly name: string }[]): string =>
  migrations.map((each) => each.name).join(', ')

/**
 * The migrations that a database still needs; none where a newer version has migrated it and lets this one run. Throws an
 * Error that says what to do when this version may not use the database.
 */
export const pendingMigrations = (
  applied: readonly AppliedMigration[],
  known: readonly Migration[],
): readonly Migration[] => {
  const byName = new Map(applied.map((each) => [each.name, each]))
  const unknown = applied.filter((each) => !known.some(({ name }) => name === each.name))
  const pending = known.filter(({ name }) => !byName.has(name))
  const last = known.at(-1)?.name ?? ''
  if (unknown.some(({ name }) => name < last) || (unknown.length > 0 && pending.length > 0)) {
    // Before the first release, the migrations were rewritten as one baseline.
    throw new Error(
      `The database was made by an unreleased version of Payin (${unknown.length} migrations that this one does not have, the first is ${unknown[0]?.name}), and cannot be upgraded. Start with an empty database, by another DATABASE_URL or PAYIN_DATA_DIR, or start the version that made it.`,
    )
  }
  const oldest = oldestOf(applied)
  if (oldest > last.slice(0, 4) && unknown.length > 0) {
    const by = unknown.at(-1)?.appliedBy
    throw new Error(
      `The database was migrated by a newer version of Payin (${namesOf(unknown)}), and only versions that have migration ${oldest} may run on it; this one has those up to ${last}. Start ${by ? `version ${by}` : 'that version'} or a later one, or restore a backup from before the upgrade.`,
    )
  }
  const changed = known.find(({ name, checksum }) => byName.has(name) && byName.get(name)?.checksum !== checksum)
  if (changed) {
    throw new Error(
      `Migration ${changed.name} was changed after it had been applied. Restore the file, and put the change into a new migration.`,
    )
  }
  return pending
}
