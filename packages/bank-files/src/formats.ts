import type { FormatFile } from './format.ts'

type Listed = { readonly label: string; readonly load: () => Promise<FormatFile> }

/** The formats with their common names. The first one that recognises a file reads it; `csv` accepts any text. */
export const formats = {
  ofx: { label: 'OFX/QFX', load: () => import('#formats/ofx') },
  camt: { label: 'camt.052–054', load: () => import('#formats/camt') },
  '1c': { label: '1CClientBankExchange', load: () => import('#formats/1c') },
  mt940: { label: 'MT940/MT942', load: () => import('#formats/mt940') },
  xlsx: { label: 'XLSX', load: () => import('#formats/xlsx') },
  csv: { label: 'CSV', load: () => import('#formats/csv') },
} as const satisfies Readonly<Record<string, Listed>>

export type StatementFormat = keyof typeof formats

/** All of them, in their order. */
export const statementFormats = Object.keys(formats) as readonly StatementFormat[]

/** All of them in one text for people. */
export const formatList = Object.values(formats)
  .map(({ label }) => label)
  .join(', ')
