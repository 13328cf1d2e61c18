import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import { addressOf } from '../api/client.ts'
import { language, timeLanguage } from '../language.ts'
import { CurrencyChoice } from './currency-choice.tsx'
import { Icon } from './icon.tsx'

const monthOf = (back: number): { readonly value: string; readonly label: string } => {
  const now = new Date()
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back))
  const label = new Intl.DateTimeFormat(timeLanguage, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(start)
  return { value: start.toISOString(), label }
}
const months = Array.from({ length: 13 }, (_, back) => monthOf(back))

type Props = {
  readonly pathOf: (file: 'statement' | 'report') => string
  /** Of the balances; the usual one first. */
  readonly currencies: readonly string[]
}

/** The account statement and the report of a month, for the merchant's accountant. */
export const BalanceFiles = ({ pathOf, currencies }: Props) => {
  const [from, setFrom] = useState(months[0]?.value ?? '')
  const start = new Date(from)
  const to = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)).toISOString()
  const [chosen, setChosen] = useState<string>()
  const currency = chosen ?? currencies[0]
  const period = from.slice(0, 7)
  const balance = currency === undefined ? {} : { balance: currency }
  const statement = (format: string): string => addressOf(pathOf('statement'), { from, to, format, ...balance })
  return (
    <>
      <CurrencyChoice label="Currency of the balance" currencies={currencies} value={currency} onChange={setChosen} />
      <Select
        aria-label="Month of the statement"
        data={months}
        value={from}
        w={150}
        allowDeselect={false}
        onChange={(value) => setFrom(value ?? from)}
      />
      <Button
        component="a"
        variant="default"
        target="_blank"
        href={addressOf(pathOf('report'), { period, language, ...balance })}
      >
        Report
      </Button>
      {['csv', 'camt.053'].map((format) => (
        <Button
          key={format}
          component="a"
          variant="default"
          href={statement(format)}
          download={`statement-${period}.${format === 'csv' ? 'csv' : 'xml'}`}
          leftSection={<Icon name="download" size={14} />}
        >
          {format === 'csv' ? 'CSV' : format}
        </Button>
      ))}
    </>
  )
}
