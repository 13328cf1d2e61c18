import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { BalancesAnswer } from '../../../../src/operations/ledger.ts'
import { currencyDecimals, formatDecimal, parseDecimal } from '../../../../src/rules/values/currency.ts'
import { api } from '../../api/client.ts'
import { requisiteName } from '../../api/requisites.ts'
import { useLive } from '../../live.ts'
import { CsvButton } from '../../parts/csv-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ModeChoice, useMode } from '../../parts/mode-choice.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { type Column, DataTable } from '../../table/data-table.tsx'
import { kindOf, kindWords } from './account-words.ts'
import { LedgerViews } from './ledger-views.tsx'
import { typed } from '../../parts/typed.ts'
import { language, sayAccount, sayWord } from '../../language.ts'

type Balance = BalancesAnswer['balances'][number]

type Line =
  | {
      readonly level: 'kind'
      readonly key: string
      readonly kind: string
      /** The kind, and the currency where several have it. */
      readonly name: string
      readonly currency: string
      readonly count: number
      readonly balance: string
      readonly isOpen: boolean
    }
  | {
      readonly level: 'account'
      readonly key: string
      readonly of: Balance
      readonly currency: string
      readonly balance: string
    }

const sumOf = (balances: readonly Balance[], currency: string): string => {
  const decimals = currencyDecimals(currency)
  let sum = 0n
  for (const { balance } of balances) {
    const isBelow = balance.startsWith('-')
    const value = parseDecimal(isBelow ? balance.slice(1) : balance, decimals)
    if (typeof value === 'bigint') sum += isBelow ? -value : value
  }
  return formatDecimal(sum, decimals)
}

const nameOf = ({ account, merchantName, requisite }: Balance): string => {
  const [kind, id, ...rest] = account.split(':')
  if (requisite !== undefined) return requisiteName(requisite)
  if (merchantName !== undefined) return [merchantName, ...rest.map((part) => sayWord(part, ['account']))].join(' · ')
  return id === undefined ? sayAccount([kind ?? account]) : [id, ...rest].join(' · ')
}

/** The tree as lines: each kind of account with its sum, and below it its accounts if it is open. */
const toLines = (balances: readonly Balance[], open: ReadonlySet<string>, wanted: string): Line[] => {
  const isWanted = (balance: Balance): boolean =>
    wanted === '' || `${balance.account} ${nameOf(balance)}`.toLowerCase().includes(wanted.toLowerCase())
  const groups = Map.groupBy(balances.filter(isWanted), ({ account, currency }) => `${kindOf(account)} ${currency}`)
  const named = Map.groupBy(groups.values(), ([first]) => first && kindOf(first.account))
  return [...groups].flatMap(([key, own]): Line[] => {
    const [first] = own
    if (first === undefined) return []
    const { currency } = first
    const isOpen = open.has(key) || (wanted !== '' && own.length <= 50)
    const kind = kindOf(first.account)
    const said = sayAccount([kind])
    const name = (named.get(kind)?.length ?? 0) > 1 ? `${said} ${currency}` : said
    const head = { level: 'kind', key, kind, name, currency, count: own.length, isOpen } as const
    const accounts = own.map(
      (of): Line => ({ level: 'account', key: `${of.account} ${currency}`, of, currency, balance: of.balance }),
    )
    return [{ ...head, balance: sumOf(own, currency) }, ...(isOpen ? accounts : [])]
  })
}

const columns: readonly Column<Line>[] = [
  {
    name: 'Account',
    width: 100,
    grows: 2,
    cell: (line) =>
      line.level === 'kind' ? (
        <span className={line.isOpen ? 'account-kind open' : 'account-kind'}>
          <Icon name="right" size={14} />
          <span className="strong">{line.name}</span>
          {line.count > 1 && <span className="quiet small">{line.count.toLocaleString(language)}</span>}
        </span>
      ) : (
        <span className="account-name">{nameOf(line.of)}</span>
      ),
  },
  {
    name: 'What is on it',
    width: 140,
    grows: 1.5,
    rank: 640,
    cell: (line) => {
      if (line.level === 'kind') return <span className="quiet">{kindWords[line.kind]}</span>
      const { unproven, currency } = line.of
      if (unproven === undefined) return null
      return (
        <span className="quiet">
          not proven yet: <MoneyText amount={unproven} currency={currency} />
        </span>
      )
    },
  },
  {
    name: 'Balance',
    width: 150,
    align: 'end',
    insteadOf: 'Credit',
    cell: ({ balance, currency }) => <MoneyText amount={balance} currency={currency} inColumn />,
  },
  {
    name: 'Debit',
    width: 120,
    grows: 'content',
    align: 'end',
    rank: 520,
    cell: ({ balance, currency }) =>
      balance.startsWith('-') ? null : <MoneyText amount={balance} currency={currency} inColumn />,
  },
  {
    name: 'Credit',
    width: 120,
    grows: 'content',
    align: 'end',
    rank: 520,
    cell: ({ balance, currency }) =>
      balance.startsWith('-') ? <MoneyText amount={balance.slice(1)} currency={currency} inColumn /> : null,
  },
]

/** The accounts of the ledger as a tree, with their balances. */
export const Accounts = () => {
  const { refetchInterval } = useLive()
  const navigate = useNavigate()
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [wanted, setWanted] = useState('')
  const mode = useMode()
  const { data, error, refetch } = useQuery({
    queryKey: ['ledger', 'balances', mode],
    queryFn: async () => (await api.get<BalancesAnswer>('/ledger/balances', mode)).balances,
    refetchInterval: refetchInterval && refetchInterval * 2,
  })
  const lines = data && toLines(data, open, wanted.trim())
  const onOpen = (line: Line): void => {
    if (line.level === 'account')
      return void navigate({ to: '/ledger/journal', search: { ...mode, account: line.of.account } })
    const after = new Set(open)
    if (!after.delete(line.key)) after.add(line.key)
    setOpen(after)
  }
  return (
    <>
      <PageHead title="Ledger" about={data && `${data.length.toLocaleString(language)} accounts`}>
        <ModeChoice />
        <LedgerViews own="/ledger" />
        <CsvButton path="/ledger/balances" query={mode} />
      </PageHead>
      <search className="filters" aria-label="Filters">
        <TextInput
          aria-label="Part of an account"
          placeholder="Part of an account"
          w={240}
          {...typed(wanted, setWanted)}
        />
      </search>
      <DataTable
        label="Accounts"
        columns={columns}
        rows={lines}
        keyOf={({ key }) => key}
        onOpen={onOpen}
        error={data === undefined ? error : null}
        onRetry={() => void refetch()}
        empty={
          <EmptyState title="The ledger is empty">
            Its first entries come with the first money that a bank reports, or with an opening balance.
          </EmptyState>
        }
        foot={<span>The balances of each currency add up to zero. Open an account to see its entries.</span>}
      />
    </>
  )
}
