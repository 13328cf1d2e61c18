import { StatementAnswer } from '../../../../src/operations/statements.ts'
import { sayMapping } from '../../../../src/operations/statement-mapping.ts'
import { formats } from 'bank-files/pure'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { personName } from '../../parts/field-values.tsx'
import { language } from '../../language.ts'
import { zoneText } from '../../parts/zone-text.ts'

type Props = { readonly statement: StatementAnswer }

const directionWords: Readonly<Record<NonNullable<StatementAnswer['direction']>['decidedBy'], string>> = {
  format: 'the format says it for every row',
  columns: 'columns of their own',
  words: 'the words of a column',
  sign: 'the sign of the amount',
  operator: 'your word: money in unless there is a minus',
}

const sizeText = (bytes: number): string =>
  bytes < 1024 * 1024
    ? `${Math.ceil(bytes / 1024).toLocaleString(language)} kB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MB`

const rowsText = (rows: number): string => (rows === 1 ? '1 row' : `${rows.toLocaleString(language)} rows`)

const Accounts = ({ statement }: Props) => (
  <section className="panel sums" aria-label="Accounts" tabIndex={0}>
    <table className="account-sums">
      <thead>
        <tr>
          <th scope="col">Account</th>
          <th scope="col">Opening</th>
          <th scope="col">Money in</th>
          <th scope="col">Money out</th>
          <th scope="col">Closing</th>
        </tr>
      </thead>
      <tbody>
        {statement.accounts.map((account) => (
          <tr key={`${account.requisiteId} ${account.number}`}>
            <td>
              <span className="strong">{account.requisite?.label ?? account.requisite?.bankIssuer}</span>{' '}
              <span className="quiet">{account.number || account.requisite?.number}</span>
              {account.utcOffsetMinutes !== undefined && (
                <div className="quiet small">times are in {zoneText(account.utcOffsetMinutes)}</div>
              )}
            </td>
            <td>
              <MoneyText amount={account.opening} currency={account.currency} />
            </td>
            <td className="money-in">
              <MoneyText amount={account.credits} currency={account.currency} />
              <div className="quiet small">{rowsText(account.creditRows)}</div>
            </td>
            <td>
              <MoneyText amount={account.debits} currency={account.currency} />
              <div className="quiet small">{rowsText(account.debitRows)}</div>
            </td>
            <td>
              <MoneyText amount={account.closing} currency={account.currency} />
              {account.difference !== undefined && (
                <div className="text-bad small">
                  the books have <MoneyText amount={account.difference} currency={account.currency} /> more than this
                  file: withdraw what is wrong, and resume crediting in Requisites
                </div>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

/** How a file was read, and its sums by account. */
export const StatementFacts = ({ statement }: Props) => {
  const { mapping } = statement
  return (
    <>
      <FieldFacts
        of={StatementAnswer}
        value={statement}
        facts={[
          { name: 'Format', cell: ({ format }) => (format === undefined ? 'not recognised' : formats[format].label) },
          { field: 'charset', name: 'Encoding' },
          {
            name: 'Money in or out: by',
            cell: ({ direction }) =>
              direction && (
                <>
                  {directionWords[direction.decidedBy]}
                  {direction.columns.length > 0 && <span className="second">{direction.columns.join(', ')}</span>}
                </>
              ),
          },
          { name: 'Size', cell: ({ size }) => size && sizeText(size) },
          { field: 'uploadedAt', name: 'Uploaded', second: 'uploadedBy' },
          { field: 'confirmedAt', name: 'Confirmed', second: 'confirmedBy' },
          {
            ...({ field: 'withdrawnAt', name: 'Withdrawn' } as const),
            second: ({ withdrawnBy, withdrawalReason = '' }) =>
              withdrawnBy && `${personName(withdrawnBy)}: ${withdrawalReason}`,
          },
        ]}
      >
        {mapping !== undefined && (
          <div className="wide-fact">
            <dt>Columns of the file</dt>
            <dd className="small">{sayMapping(mapping).join(' · ')}</dd>
          </div>
        )}
      </FieldFacts>
      {statement.accounts.length > 0 && <Accounts statement={statement} />}
    </>
  )
}
