import type { Vault } from './vault.ts'

/** Seals and opens the values of a column as JSON, each for the name of its row. */
export const sealedJson = <T>(table: string, column: string) => ({
  seal: (vault: Vault, row: string, value: T): string => vault.encrypt(JSON.stringify(value), { table, column, row }),
  open: (vault: Vault, row: string, sealed: string): T =>
    JSON.parse(vault.decrypt(sealed, { table, column, row })) as T,
})
