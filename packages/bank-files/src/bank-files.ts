// Reads the files in which banks report the money of an account.
export * from './pure.ts'
export { type BankFile, type BankFileOptions, type Entry, type EntryBalance, readBankFile } from './read-bank-file.ts'
export { type FileSink, readStatement, type StatementShape } from './read-statement.ts'
export { type PackedFile, unpackArchive } from './unpack-archive.ts'
