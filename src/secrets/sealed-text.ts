import type { Vault } from './vault.ts'

/** Seals and opens the texts of a column, each for the name of its row. */
export const sealedText = (table: string, column: string) => ({
  seal: (vault: Vault, row: string, text: string): string => vault.encrypt(text, { table, column, row }),
  open: (vault: Vault, row: string, sealed: string): string => vault.decrypt(sealed, { table, column, row }),
})

/** The same for values, which are sealed as JSON. */
export const sealedJson = <T>(table: string, column: string) => {
  const { seal, open } = sealedText(table, column)
  return {
    seal: (vault: Vault, row: string, value: T): string => seal(vault, row, JSON.stringify(value)),
    open: (vault: Vault, row: string, sealed: string): T => JSON.parse(open(vault, row, sealed)) as T,
  }
}
