import type { StatementFormat } from '../../domain/statement-format.ts'
import { exchange1c } from './exchange-1c.ts'
import { camt } from './camt.ts'
import { csv } from './csv.ts'
import type { BinaryFormat, TextFormat } from '../../domain/statement-format.ts'
import { mt940 } from './mt940.ts'
import { ofx } from './ofx.ts'
import { xlsx } from './xlsx.ts'

/** The formats of statements; `formatLabels` in the domain has their names. */
export const formats: Readonly<Record<StatementFormat, TextFormat | BinaryFormat>> = {
  ...{ ofx, camt, '1c': exchange1c, mt940, xlsx, csv },
}
