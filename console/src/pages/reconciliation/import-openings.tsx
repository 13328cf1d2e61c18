import { useState } from 'react'
import type { CsvRow } from '../../../../src/rules/statements/csv-table.ts'
import { setOpenings } from '../../api/reconciliation.ts'
import { findNamedRequisites } from '../../api/requisites.ts'
import { type FileRow, ImportCsv } from '../../parts/import-csv.tsx'
import { ReasonField } from '../../parts/reason-field.tsx'
import { balanceText, dayText } from './set-balance.tsx'

const example = `requisite;day;balance;currency
Main account;2026-01-01;125000.50;rub
sberbank 4821;2026-01-01;0;rub`

const usualReason = 'First statements of the banks'

const readRows = async (rows: readonly CsvRow[]): Promise<FileRow[]> => {
  const ids = await findNamedRequisites(rows.map(({ cells }) => cells['requisite'] ?? ''))
  return rows.map((row) => {
    const { requisite = '', day = '', balance = '', currency = '' } = row.cells
    const requisiteId = ids.get(requisite)
    const faults = [
      ...(typeof requisiteId === 'string' ? [] : [requisiteId?.message ?? '']),
      ...(dayText.test(day) ? [] : ['day must be like 2026-01-31']),
      ...(balanceText.test(balance) ? [] : ['balance must be like 125000.50']),
    ]
    return { ...row, faults, wanted: { requisiteId, day, balance: Number(balance), currency } }
  })
}

/** Sets what accounts held before their first day here, from a CSV file. */
export const ImportOpenings = () => {
  const [reason, setReason] = useState(usualReason)
  return (
    <ImportCsv
      text="Opening balances…"
      title="Opening balances of many accounts"
      count={(rows) => (rows === 1 ? '1 opening balance' : `${rows} opening balances`)}
      verb="Set"
      needed={['requisite', 'day', 'balance', 'currency']}
      example={example}
      most={500}
      read={readRows}
      send={async (balances, dryRun) =>
        (await setOpenings({ balances, reason: reason.trim() || usualReason, dryRun })).map(({ proposed }) =>
          proposed === true ? 'waits for another operator' : undefined,
        )
      }
      columns={{
        Requisite: ({ requisite }) => requisite,
        'First day': ({ day }) => day,
        Balance: ({ balance, currency }) => `${balance} ${currency?.toUpperCase()}`,
      }}
      isReady={reason.trim() !== ''}
      changes={['reconciliation', 'ledger']}
    >
      <ReasonField value={reason} onChange={setReason} />
    </ImportCsv>
  )
}
