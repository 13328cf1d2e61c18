import { useQuery } from '@tanstack/react-query'
import { maskNumber } from '../../../../src/rules/values/masking.ts'
import { merchants } from '../../api/merchants.ts'
import { addRequisites } from '../../api/requisites.ts'
import { ImportCsv } from '../../parts/import-csv.tsx'
import { neededColumns, optionalColumns, readRow } from './requisite-file.ts'

const example = `method;currency;bank;holder;number;label;dayAmount
sbp;rub;sberbank;Ivan Petrov;79991234567;Main phone;300000`

/** Adds the requisites of a CSV file. */
export const ImportRequisites = () => {
  const { data: owners = [] } = useQuery(merchants)
  return (
    <ImportCsv
      text="Import CSV"
      title="Import requisites"
      count={(rows) => (rows === 1 ? '1 requisite' : `${rows} requisites`)}
      verb="Add"
      needed={neededColumns}
      optional={optionalColumns}
      example={example}
      most={1000}
      read={async (rows) => rows.map((row) => readRow(row, owners))}
      send={async (items, isTried) => {
        await addRequisites(items, isTried)
        return []
      }}
      columns={{
        Method: ({ method }) => method,
        Bank: ({ bank }) => bank,
        Number: ({ number = '' }) => maskNumber(number),
        Holder: ({ holder }) => holder,
        Label: ({ label }) => label,
      }}
      changes={['requisites']}
    />
  )
}
