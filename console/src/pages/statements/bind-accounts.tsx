import type { CsvRow } from '../../../../src/rules/statements/csv-table.ts'
import { maskNumber } from '../../../../src/rules/values/masking.ts'
import { api } from '../../api/client.ts'
import { findNamedRequisites } from '../../api/requisites.ts'
import { type FileRow, ImportCsv } from '../../parts/import-csv.tsx'

const example = `number;requisite
40702810900000000001;Main phone
40702810900000000002;sberbank 4821 + tbank 0017`

const namesOf = ({ cells: { requisite = '' } }: CsvRow): string[] => requisite.split(' + ')

const readRows = async (rows: readonly CsvRow[]): Promise<FileRow[]> => {
  const ids = await findNamedRequisites(rows.flatMap(namesOf))
  return rows.map((row) => {
    const found = namesOf(row).map((name) => ids.get(name))
    const faults = found.flatMap((each) => (each instanceof Error ? [each.message] : []))
    return { ...row, faults, wanted: { number: row.cells['number'] ?? '', requisiteIds: found } }
  })
}

/** Binds accounts in the files of banks to the requisites that receive their money, from a CSV file. */
export const BindAccounts = () => (
  <ImportCsv
    text="Bind accounts…"
    title="Bind accounts in files to requisites"
    count={(rows) => (rows === 1 ? '1 account' : `${rows} accounts`)}
    verb="Bind"
    needed={['number', 'requisite']}
    example={example}
    most={500}
    read={readRows}
    send={async (accounts, dryRun) => {
      await api.put('/statement-accounts', { accounts, dryRun })
      return []
    }}
    columns={{ Account: ({ number = '' }) => maskNumber(number), Requisites: ({ requisite }) => requisite }}
    changes={['requisites', 'statements']}
  />
)
